// A grid-wide barrier made of inline PTX: red.release, and ld.acquire inside a function that is not inlined.
#include "check.hpp"

__device__ __noinline__ int load_acquire(const int* p) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
}

__global__ void meet(int* arrived, unsigned* lanes) {
  unsigned lane;
  unsigned long long time;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(arrived), "r"(1) : "memory");
  while (load_acquire(arrived) < (int)(blockDim.x * gridDim.x)) {
  }
  lanes[blockIdx.x * blockDim.x + threadIdx.x] = lane;
}

int main() {
  DeviceArray<int> arrived(1);
  DeviceArray<unsigned> lanes(256);
  meet<<<4, 64>>>(arrived, lanes);
  std::vector<unsigned> r = lanes.read();
  for (unsigned i = 0; i < 256; ++i) CHECK(r[i] == i % 32);
  return verdict();
}
