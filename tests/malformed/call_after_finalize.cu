// expect: exit=1 message="nvshmem_finalize"
// pes: 2
// nvshmem_malloc after nvshmem_finalize.
#include "malformed.hpp"

int main() {
  start();
  nvshmem_finalize();
  nvshmem_malloc(1024);
  return 0;
}
