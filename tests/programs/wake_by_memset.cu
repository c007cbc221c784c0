// A kernel spins on a volatile load until a memset of another stream changes the word; then until a copy does.
#include "program.hpp"

__global__ void spin(const int* flag, int old, int* seen) {
  while (*static_cast<const volatile int*>(flag) == old) {
  }
  *seen = *static_cast<const volatile int*>(flag);
}

int main() {
  start();
  int* words;
  CUDA_CHECK(cudaMalloc(&words, 512));
  CUDA_CHECK(cudaMemset(words, 0, 512));
  cudaStream_t a, b;
  CUDA_CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CUDA_CHECK(cudaDeviceSynchronize());

  spin<<<1, 1, 0, a>>>(words, 0, words + 64);
  CUDA_CHECK(cudaMemsetAsync(words, 1, sizeof(int), b));
  CUDA_CHECK(cudaDeviceSynchronize());
  const bool by_memset = value_of(words + 64) == 0x01010101;

  const int next = 42;
  spin<<<1, 1, 0, a>>>(words, 0x01010101, words + 64);
  CUDA_CHECK(cudaMemcpyAsync(words, &next, sizeof(int), cudaMemcpyHostToDevice, b));
  CUDA_CHECK(cudaDeviceSynchronize());
  return finish("wake_by_memset", by_memset && value_of(words + 64) == 42);
}
