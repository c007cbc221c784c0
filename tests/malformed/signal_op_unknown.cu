// expect: exit=1 message="signal operation 0"
// pes: 2
// NVSHMEM_SIGNAL_SET is 9 and NVSHMEM_SIGNAL_ADD is 10; 0 is nothing.
#include "malformed.hpp"

__global__ void send(uint64_t* signal, int to) { nvshmemx_signal_op(signal, 1, 0, to); }

int main() {
  start();
  uint64_t* signal = static_cast<uint64_t*>(nvshmem_calloc(1, sizeof(uint64_t)));
  send<<<1, 1>>>(signal, 1 - nvshmem_my_pe());
  return finish();
}
