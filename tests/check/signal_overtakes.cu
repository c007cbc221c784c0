// rule: order.overlap
#include "pair.hpp"

// The second value of the signal may arrive before the first, which then stays.
__global__ void ping(uint64_t* signal, bool repaired) {
  const int right = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
  nvshmemx_signal_op(signal, 1, NVSHMEM_SIGNAL_SET, right);  // FIRST
  if (repaired) nvshmem_fence();
  nvshmemx_signal_op(signal, 2, NVSHMEM_SIGNAL_SET, right);  // SECOND
  nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, 1);
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  auto* signal = p.zeroed<uint64_t>(1);
  LAUNCH(ping, 1, &signal, &p.repaired);
}
