// rule: sync.lost-wakeup
#include "pair.hpp"

// Two signals one after the other; the wait is for exactly the first. Right: the wait is for at least the first.
__global__ void ping(uint64_t* signal, bool repaired) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
  nvshmemx_signal_op(signal, 1, NVSHMEM_SIGNAL_ADD, right);
  nvshmem_uint64_wait_until(signal, repaired ? NVSHMEM_CMP_GE : NVSHMEM_CMP_EQ, 1);  // FIRST
  nvshmem_fence();  // else this one may come before the first, which nobody waits for then
  nvshmemx_signal_op(signal, 1, NVSHMEM_SIGNAL_ADD, right);  // SECOND
  nvshmem_uint64_wait_until(signal, NVSHMEM_CMP_GE, 2);
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  auto* signal = p.zeroed<uint64_t>(1);
  LAUNCH(ping, 1, &signal, &p.repaired);
}
