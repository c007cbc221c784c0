// expect: exit=1 message="null"
// pes: 1
// A kernel stores through a null pointer. The message names kernel, block, thread and line.
#include "malformed.hpp"

__global__ void store(int* p) { p[threadIdx.x] = 1; }

int main() {
  start();
  store<<<1, 32>>>(nullptr);
  return finish();
}
