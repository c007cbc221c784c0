// printf in a kernel: all kinds of arguments arrive. The output is compared by the test runner, see device_printf.out.
#include "check.hpp"

__global__ void print(int k) {
  printf("thread %d k=%d %s %.2f %lld %c %x %5u|\n", threadIdx.x, k, "text", 1.5, 1234567890123LL, 'z', 255u, 7u);
}

int main() {
  print<<<1, 2>>>(9);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  return verdict();
}
