// rule: order.local-race
#include "pair.hpp"

// The pad is cleared after the allocation's barrier, which therefore does not protect it.
__global__ void signal_right(uint64_t* pad) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
  nvshmemx_signal_op(pad, 1, NVSHMEM_SIGNAL_ADD, (me + 1) % n);  // FIRST
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  auto* pad = static_cast<uint64_t*>(nvshmem_malloc(sizeof(uint64_t)));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemsetAsync(pad, 0, sizeof(uint64_t), stream);  // SECOND
  if (p.repaired) cudaStreamSynchronize(stream);
  nvshmem_barrier_all();  // without the wait for the stream it proves nothing about the memset
  LAUNCH(signal_right, 1, &pad);
}
