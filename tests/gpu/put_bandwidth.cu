// One block of PE 0 puts to PE 1 again and again; the time of one put by cudaEvents. Built a second time with
// -DSHMEMU_GPU_NO_LOG it shows what the log costs.  usage: put_bandwidth [bytes = 65536] [puts = 2000] [threads = 1024]
#include "check.hpp"

__global__ void loop(char* data, size_t bytes, int puts, int to) {
  for (int i = 0; i < puts; ++i) nvshmemx_putmem_block(data, data, bytes, to);
  if (threadIdx.x == 0) nvshmem_quiet();
}

int main(int argc, char** argv) {
  size_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 65536;
  int puts = argc > 2 ? std::atoi(argv[2]) : 2000, threads = argc > 3 ? std::atoi(argv[3]) : 1024;
  int me = start(), other = nvshmem_n_pes() - 1;
  char* data = static_cast<char*>(nvshmem_malloc(bytes));
  cudaEvent_t from, to;
  CHECK_CUDA(cudaEventCreate(&from));
  CHECK_CUDA(cudaEventCreate(&to));
  if (me == 0) {
    for (int round = 0; round < 2; ++round) {  // the first one warms up
      CHECK_CUDA(cudaEventRecord(from));
      loop<<<1, threads>>>(data, bytes, puts, other);
      CHECK_CUDA(cudaEventRecord(to));
      CHECK_CUDA(cudaDeviceSynchronize());
    }
    float ms = 0;
    CHECK_CUDA(cudaEventElapsedTime(&ms, from, to));
    std::printf("put_block %zu B %d threads: %.3f us, %.2f GB/s\n", bytes, threads, ms * 1e3 / puts,
                static_cast<double>(bytes) * puts / ms / 1e6);
  }
  nvshmem_barrier_all();
  nvshmem_free(data);
  nvshmem_finalize();
  return 0;
}
