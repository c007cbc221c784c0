// expect: exit=4 message="deadlock"
// pes: 2
// A stream waits for a signal that no PE sends, and the host for the stream.
#include "malformed.hpp"

int main() {
  start();
  uint64_t* signal = static_cast<uint64_t*>(nvshmem_calloc(1, sizeof(uint64_t)));
  nvshmemx_signal_wait_until_on_stream(signal, NVSHMEM_CMP_GE, 1, nullptr);
  return finish();
}
