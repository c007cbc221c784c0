// rule: stream.false-dependency
#include "pair.hpp"

// A kernel waits for one that is put into another stream later. With more streams than hardware queues both may share
// a queue, and the second never starts. Right: the awaited one goes first.
__global__ void wait_here(uint64_t* flag) { nvshmem_signal_wait_until(flag, NVSHMEM_CMP_GE, 1); }  // FIRST
__global__ void raise(uint64_t* flag) { nvshmemx_signal_op(flag, 1, NVSHMEM_SIGNAL_ADD, nvshmem_my_pe()); }

int main(int argc, char** argv) {
  Pair p(argc, argv);
  auto* flag = p.zeroed<uint64_t>(1);
  cudaStream_t streams[12];
  for (cudaStream_t& s : streams) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  if (p.repaired) raise<<<1, 1, 0, streams[8]>>>(flag);
  wait_here<<<1, 1, 0, streams[0]>>>(flag);
  if (!p.repaired) raise<<<1, 1, 0, streams[8]>>>(flag);  // SECOND
}
