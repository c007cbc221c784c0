// expect: exit=4 message="__syncthreads"
// pes: 1
// Thread 0 waits for a flag that thread 1 raises after a __syncthreads that thread 0 never reaches.
#include "malformed.hpp"

__global__ void block(int* flag) {
  if (threadIdx.x == 0)
    while (*static_cast<volatile int*>(flag) == 0) {
    }
  __syncthreads();
  if (threadIdx.x == 1) *static_cast<volatile int*>(flag) = 1;
}

int main() {
  start();
  int* flag = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  block<<<1, 64>>>(flag);
  return finish();
}
