// A lock by atomicCAS that is tried, not awaited: who fails backs off for a growing time. All threads of a warp and
// several blocks contend; the counter inside the lock is not atomic.
#include "program.hpp"

constexpr int kBlocks = 4, kThreads = 64, kRounds = 4;

__global__ void count(int* lock, int* counter, int* failures) {
  for (int round = 0; round < kRounds; ++round) {
    unsigned pause = 32;
    for (bool done = false; !done;) {
      if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        volatile int* inside = counter;
        *inside = *inside + 1;
        __threadfence();
        atomicExch(lock, 0);
        done = true;
      } else {
        atomicAdd(failures, 1);
        __nanosleep(pause);
        if (pause < 4096) pause *= 2;
      }
    }
  }
}

int main() {
  start();
  int* words;
  CUDA_CHECK(cudaMalloc(&words, 1024));
  CUDA_CHECK(cudaMemset(words, 0, 1024));
  count<<<kBlocks, kThreads>>>(words, words + 64, words + 128);
  CUDA_CHECK(cudaDeviceSynchronize());
  const int total = value_of(words + 64), expect = kBlocks * kThreads * kRounds;
  if (total != expect) fprintf(stderr, "counted %d of %d\n", total, expect);
  return finish("trylock", total == expect);
}
