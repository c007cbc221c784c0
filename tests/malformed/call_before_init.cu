// expect: exit=1 message="nvshmem_init"
// pes: 2
// nvshmem_malloc before nvshmem_init.
#include "malformed.hpp"

int main() {
  void* p = nvshmem_malloc(1024);
  start();
  nvshmem_free(p);
  return finish();
}
