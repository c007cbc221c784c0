// nvcc takes special registers with one percent sign in asm without and with operands; clang alone would refuse them.
#include "check.hpp"

__device__ int lane() {
  int value;
  asm("mov.s32 %0, %laneid;" : "=r"(value));
  return value;
}

__global__ void read(int* out) {
  unsigned block, doubled;
  asm volatile("mov.u32 %0, %ctaid.x;" : "=r"(block));
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(doubled));
  out[blockIdx.x * blockDim.x + threadIdx.x] = lane() + 100 * block + 1000 * doubled;
}

int main() {
  DeviceArray<int> out(80);
  read<<<2, 40>>>(out);
  std::vector<int> r = out.read();
  for (int i = 0; i < 80; ++i) CHECK(r[i] == i % 40 % 32 + 1100 * (i / 40));
  return verdict();
}
