// expect: exit=1 message="do not fit the symmetric heap"
// pes: 2
// A negative size becomes a huge one. nvshmem_malloc answers NULL (as documented) and the program gives up by itself.
#include "malformed.hpp"

int main() {
  start();
  const int elements = -1000;
  void* p = nvshmem_malloc(static_cast<size_t>(elements) * sizeof(int));
  if (p == nullptr) return fprintf(stderr, "PE %d: no memory\n", nvshmem_my_pe()), 1;
  return finish();
}
