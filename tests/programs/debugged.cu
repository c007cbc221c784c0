// A kernel to stop in with a debugger (tests/gdb_test.cpp).
#include "program.hpp"

__global__ void twice(int* out, int value) {
  int doubled = value * 2;
  *out = doubled;  // stop here
}

int main() {
  int* out;
  CUDA_CHECK(cudaMalloc(&out, sizeof(int)));
  twice<<<1, 1>>>(out, 21);
  CUDA_CHECK(cudaDeviceSynchronize());
  int result;
  CUDA_CHECK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("%s\n", result == 42 ? "debugged ok" : "FAIL");
  return result != 42;
}
