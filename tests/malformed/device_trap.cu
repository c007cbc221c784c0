// expect: exit=1 message="trap"
// pes: 1
// __trap in a kernel.
#include "malformed.hpp"

__global__ void stop() {
  if (threadIdx.x == 5) __trap();
}

int main() {
  start();
  stop<<<1, 32>>>();
  return finish();
}
