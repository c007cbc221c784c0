// expect: exit=1 message="align"
// pes: 2
// A signal must be 8-byte aligned.
#include "malformed.hpp"

__global__ void send(char* bytes, int to) {
  nvshmemx_signal_op(reinterpret_cast<uint64_t*>(bytes + 4), 1, NVSHMEM_SIGNAL_SET, to);
}

int main() {
  start();
  char* bytes = static_cast<char*>(nvshmem_calloc(64, 1));
  send<<<1, 1>>>(bytes, 1 - nvshmem_my_pe());
  return finish();
}
