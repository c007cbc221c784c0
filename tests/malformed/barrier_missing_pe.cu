// expect: exit=4 message="barrier"
// pes: 3
// PE 2 leaves out a barrier of all PEs. The message says who is there and who is missing.
#include "malformed.hpp"

int main() {
  start();
  if (nvshmem_my_pe() != 2) nvshmem_barrier_all();
  return 0;
}
