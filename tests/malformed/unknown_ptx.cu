// expect: exit=1 message="wgmma.fence"
// pes: 1
// Inline PTX that the CPU executor does not know: fine as long as it is not executed (block 1), an error when it is.
#include "malformed.hpp"

__global__ void tensor(int never) {
  if (blockIdx.x == 1 && never == 0) return;
  asm volatile("wgmma.fence.sync.aligned;");
}

int main() {
  start();
  tensor<<<2, 128>>>(0);
  return finish();
}
