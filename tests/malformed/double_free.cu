// expect: exit=1 message="freed"
// pes: 2
// The same object is freed twice.
#include "malformed.hpp"

int main() {
  start();
  void* p = nvshmem_malloc(1024);
  nvshmem_free(p);
  nvshmem_free(p);
  return finish();
}
