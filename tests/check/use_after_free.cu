// rule: sym.use-after-free
#include "pair.hpp"

constexpr int kCount = 1 << 20;

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *data = p.zeroed<int>(kCount), *source = p.zeroed<int>(kCount);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemsetAsync(source, 1, kCount * sizeof(int), stream);  // FIRST
  if (p.repaired) cudaStreamSynchronize(stream);
  nvshmem_free(source);  // SECOND
  nvshmem_free(data);
}
