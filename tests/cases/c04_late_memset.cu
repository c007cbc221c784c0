// A signal pad cleared by each PE after the collective allocation (pytorch PR 196546). The word says how:
//   late      memset, nothing else      barrier   memset in a stream, barrier, but no wait for the stream
//   zeroing   nvshmem_calloc            right     memset, stream synchronised, barrier
#include <cstdio>
#include <string>
#include "../check/pair.hpp"

__global__ void signal_next(uint64_t* pad) {
  nvshmemx_signal_op(pad, 1, NVSHMEM_SIGNAL_SET, (nvshmem_my_pe() + 1) % nvshmem_n_pes());
  nvshmem_signal_wait_until(pad, NVSHMEM_CMP_EQ, 1);
}

int main(int argc, char** argv) {
  std::string how = argc > 1 ? argv[1] : "late";
  Pair p(argc, argv);
  auto* pad = static_cast<uint64_t*>(how == "zeroing" ? nvshmem_calloc(1, 8) : nvshmem_malloc(8));
  cudaStream_t clear, work;
  cudaStreamCreateWithFlags(&clear, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
  if (how != "zeroing") cudaMemsetAsync(pad, 0, 8, clear);
  if (how == "late") cudaStreamSynchronize(clear);
  if (how == "right") cudaStreamSynchronize(clear);
  if (how == "right" || how == "barrier") nvshmem_barrier_all();
  signal_next<<<1, 1, 0, work>>>(pad);
  cudaDeviceSynchronize();
  printf("signalled\n");
}
