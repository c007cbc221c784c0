// A kernel of PE 0 spins by itself, without NVSHMEM's waits: the run must end all the same.
#include "check.hpp"

__global__ void spin(volatile int* flag) {
  while (!*flag) {
  }
}

int main() {
  int me = start();
  int* flag = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  if (me == 0) spin<<<1, 1>>>(flag);
  CHECK_CUDA(cudaDeviceSynchronize());
  nvshmem_barrier_all();
  return 0;
}
