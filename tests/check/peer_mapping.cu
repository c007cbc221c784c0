// rule: sym.peer-mapping
// also: sync.never
// ends: 4
#include "pair.hpp"

// The framework has a table of buffers by rank; which entry does the call want? One's own.
__global__ void send(int* data, int* source, uint64_t* signal, bool repaired) {
  const int right = nvshmem_my_pe() ^ 1;  // of the same node
  int* entry = repaired ? data : static_cast<int*>(nvshmem_ptr(data, right));
  nvshmem_int_put_signal(entry, source, 4, signal, 1, NVSHMEM_SIGNAL_SET, right);  // FIRST
  nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, 1);
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  auto* data = static_cast<int*>(nvshmem_calloc(4, sizeof(int)));  // SECOND
  int* source = p.zeroed<int>(4);
  uint64_t* signal = p.zeroed<uint64_t>(1);
  LAUNCH(send, 1, &data, &source, &signal, &p.repaired);
}
