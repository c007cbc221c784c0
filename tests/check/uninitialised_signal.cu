// rule: sym.uninitialised
#include "pair.hpp"

// The signal lives in memory that nobody has cleared.
__global__ void ping(uint64_t* signal) {
  nvshmemx_signal_op(signal, 1, NVSHMEM_SIGNAL_SET, (nvshmem_my_pe() + 1) % nvshmem_n_pes());
  nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, 1);  // SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  auto* signal = static_cast<uint64_t*>(p.repaired ? nvshmem_calloc(1, 8) : nvshmem_malloc(8));  // FIRST
  LAUNCH(ping, 1, &signal);
}
