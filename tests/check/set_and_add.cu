// rule: type.width
#include "pair.hpp"

// One counts arrivals in a word that another one sets.
__global__ void count(uint64_t* signal, bool repaired) {
  const int me = nvshmem_my_pe(), right = (me + 1) % nvshmem_n_pes();
  nvshmemx_signal_op(signal, 1, NVSHMEM_SIGNAL_ADD, right);  // FIRST
  nvshmemx_signal_op(signal + 1, 1, NVSHMEM_SIGNAL_ADD, right);
  if (repaired) nvshmem_fence();
  nvshmemx_signal_op(signal + (repaired ? 2 : 0), 1, NVSHMEM_SIGNAL_SET, right);  // SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  auto* signal = p.zeroed<uint64_t>(3);
  LAUNCH(count, 1, &signal, &p.repaired);
}
