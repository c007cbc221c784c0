// Many threads of many blocks log much more than the rings hold; the count of atomics must come out.
#include "check.hpp"

__global__ void add(unsigned* count, int each, int to) {
  for (int i = 0; i < each; ++i) nvshmem_uint_atomic_add(count, 1, to);
}

int main() {
  constexpr int kBlocks = 16, kThreads = 128, kEach = 20;
  int me = start(), n = nvshmem_n_pes();
  auto* count = static_cast<unsigned*>(nvshmem_calloc(1, sizeof(unsigned)));
  add<<<kBlocks, kThreads>>>(count, kEach, (me + 1) % n);
  nvshmemx_barrier_all_on_stream(nullptr);
  unsigned got = 0;
  CHECK_CUDA(cudaMemcpy(&got, count, sizeof got, cudaMemcpyDeviceToHost));
  if (got != kBlocks * kThreads * kEach) std::printf("PE %d: %u\n", me, got);
  if (me == 0 && got == kBlocks * kThreads * kEach)
    std::printf("many_records ok: %d records per PE\n", kBlocks * kThreads * kEach);
  nvshmem_finalize();
  return got == kBlocks * kThreads * kEach ? 0 : 1;
}
