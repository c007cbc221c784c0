// Host code that spins on memory a kernel writes: volatile, std::atomic, pinned memory.
#include <atomic>

#include "check.hpp"

__global__ void set(volatile int* flag) { *flag = 1; }
__global__ void exchange(int* flag) { atomicExch(flag, 1); }

std::atomic<int> flag{0};

int main() {
  int* pinned = nullptr;
  CHECK(cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocMapped) == cudaSuccess);
  *pinned = 0;
  set<<<1, 1>>>(pinned);
  volatile int* watched = pinned;
  while (!*watched) {
  }
  exchange<<<1, 1>>>((int*)&flag);
  while (flag.load(std::memory_order_acquire) == 0) {
  }
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  return verdict();
}
