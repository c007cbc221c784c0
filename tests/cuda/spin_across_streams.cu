// A kernel waits by a plain volatile loop for a kernel of another stream.
#include "check.hpp"

__global__ void wait(int* flag, int* out) {
  while (*(volatile int*)flag == 0) {
  }
  *out = 41 + *flag;
}
__global__ void set(int* flag) { *(volatile int*)flag = 1; }

int main() {
  DeviceArray<int> words(2);
  cudaStream_t first, second;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);
  wait<<<1, 1, 0, first>>>(words, words + 1);
  set<<<1, 1, 0, second>>>(words);
  CHECK(words.read()[1] == 42);
  return verdict();
}
