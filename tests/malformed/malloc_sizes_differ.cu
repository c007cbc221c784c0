// expect: exit=1 message="nvshmem_malloc"
// pes: 2
// A collective allocation with a size of its own on each PE: all later addresses would differ. The message has both
// sizes.
#include "malformed.hpp"

int main() {
  start();
  nvshmem_malloc(nvshmem_my_pe() == 0 ? 1024 : 4096);
  return finish();
}
