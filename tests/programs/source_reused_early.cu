// A put_nbi whose source is overwritten before quiet: over NVLink the call has read it, an adapter reads it later. PE 0 sends,
// PE 1 prints what arrived.
#include "program.hpp"

__global__ void send(int me, int* dest, int* source, uint64_t* signal) {
  if (me == 1) {
    nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, 1);
    return;
  }
  *source = 1;
  nvshmem_int_put_nbi(dest, source, 1, 1);
  *source = 2;
  nvshmem_quiet();
  nvshmemx_signal_op(signal, 1, NVSHMEM_SIGNAL_SET, 1);
}

int main() {
  const Pe pe = start(2);
  int *dest = symmetric<int>(), *source = symmetric<int>();
  auto* signal = symmetric<uint64_t>();
  together(send, 1, 1, pe.me, dest, source, signal);
  if (pe.me == 1) printf("arrived: %d\n", value_of(dest));
  return finish("source_reused_early", true);
}
