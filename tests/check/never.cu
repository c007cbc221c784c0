// rule: sync.never
// ends: 4
#include "pair.hpp"

// The flag goes to the left neighbour, the wait is for one from the left: with a wrong value it never ends.
__global__ void ping(int* flag, bool repaired) {
  const int right = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
  nvshmem_int_p(flag, repaired ? 2 : 1, right);  // SECOND
  nvshmem_int_wait_until(flag, NVSHMEM_CMP_GE, 2);  // FIRST
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int* flag = p.zeroed<int>(1);
  LAUNCH(ping, 1, &flag, &p.repaired);
}
