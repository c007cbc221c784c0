// A kernel spins on a volatile load; a kernel of another stream ends the spin by a plain store and a threadfence.
#include "program.hpp"

__global__ void spin(const int* flag, int* seen) {
  while (*static_cast<const volatile int*>(flag) == 0) {
  }
  *seen = *static_cast<const volatile int*>(flag);
}

__global__ void raise_flag(int* flag) {
  __nanosleep(2000);  // let the other one fall asleep first
  *flag = 7;          // neither volatile nor atomic
  __threadfence();
}

int main() {
  start();
  int* words;  // the flag and what was seen, in different lines
  CUDA_CHECK(cudaMalloc(&words, 512));
  raise_flag<<<1, 1>>>(words);  // loads the kernel: hardware loads it lazily, which waits for kernels that run
  CUDA_CHECK(cudaMemset(words, 0, 512));
  cudaStream_t a, b;
  CUDA_CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CUDA_CHECK(cudaDeviceSynchronize());
  spin<<<1, 1, 0, a>>>(words, words + 64);
  raise_flag<<<1, 1, 0, b>>>(words);
  CUDA_CHECK(cudaDeviceSynchronize());
  return finish("wake_by_plain_store", value_of(words + 64) == 7);
}
