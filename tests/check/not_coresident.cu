// rule: launch.not-coresident
// ends: 4
#include "pair.hpp"

// Block 0 waits for the last block, which has no place while the others spin.
__global__ void wait_for_last(volatile int* flag) {
  if (blockIdx.x == gridDim.x - 1) *flag = 1;
  while (*flag == 0) {  // FIRST
  }
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int* flag = p.zeroed<int>(1);
  constexpr int kShared = 200 << 10;  // of an SM's 228 KiB
  int fit = 0, device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaFuncSetAttribute(wait_for_last, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, wait_for_last, 1, kShared);
  wait_for_last<<<fit * sms + (p.repaired ? 0 : 1), 1, kShared>>>(flag);  // SECOND
}
