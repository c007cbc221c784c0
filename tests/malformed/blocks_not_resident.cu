// expect: exit=4 message="cannot become resident"
// pes: 1
// An ordinary launch: block 0 waits for the last block, which has no place while the others spin.
#include "malformed.hpp"

__global__ void wait_for_last(int* flag) {
  if (blockIdx.x == gridDim.x - 1) atomicExch(flag, 1);
  while (*static_cast<volatile int*>(flag) == 0) {
  }
}

int main() {
  start();
  int* flag = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  wait_for_last<<<2000, 1024>>>(flag);
  return finish();
}
