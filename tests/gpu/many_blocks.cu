// Every block of every PE waits for the block of its number on the left: all must be on the GPU at once.
// usage: many_blocks [blocks = 32] [threads = 512]
#include "check.hpp"

__global__ void meet(uint64_t* arrived) {
  int me = nvshmem_my_pe(), n = nvshmem_n_pes();
  if (threadIdx.x == 0) {
    nvshmemx_signal_op(arrived + blockIdx.x, 1, NVSHMEM_SIGNAL_SET, (me + 1) % n);
    nvshmem_signal_wait_until(arrived + blockIdx.x, NVSHMEM_CMP_EQ, 1);
  }
}

int main(int argc, char** argv) {
  int blocks = argc > 1 ? std::atoi(argv[1]) : 32, threads = argc > 2 ? std::atoi(argv[2]) : 512;
  int me = start();
  auto* arrived = static_cast<uint64_t*>(nvshmem_calloc(static_cast<size_t>(blocks), sizeof(uint64_t)));
  void* arguments[] = {&arrived};
  if (nvshmemx_collective_launch(reinterpret_cast<const void*>(meet), dim3(blocks), dim3(threads), arguments, 0,
                                 nullptr))
    return 1;
  CHECK_CUDA(cudaDeviceSynchronize());
  if (me == 0) std::printf("many_blocks ok\n");
  nvshmem_finalize();
  return 0;
}
