// One warp feeds another through shared memory; both spin on a volatile flag inside the block.
#include "check.hpp"

__global__ void produce_and_consume(volatile int* slot, int* sum) {
  __shared__ volatile int full;
  if (threadIdx.x == 0) full = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i <= 5; ++i) {
      slot[0] = i * i;
      __threadfence();
      full = 1;
      while (full) {
      }
    }
  }
  if (threadIdx.x == 32) {
    int total = 0;
    for (int i = 1; i <= 5; ++i) {
      while (!full) {
      }
      total += slot[0];
      full = 0;
    }
    *sum = total;
  }
}

int main() {
  DeviceArray<int> words(2);
  produce_and_consume<<<1, 64>>>(words + 1, words);
  CHECK(words.read()[0] == 55);
  return verdict();
}
