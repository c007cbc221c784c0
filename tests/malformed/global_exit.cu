// expect: exit=1 message="nvshmem_global_exit"
// pes: 3
// PE 1 ends the whole run while the others wait for it.
#include "malformed.hpp"

int main() {
  start();
  if (nvshmem_my_pe() == 1) nvshmem_global_exit(7);
  return finish();
}
