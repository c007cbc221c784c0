// A spin lock by compare-and-swap, and a work queue of tickets.
#include "check.hpp"

__global__ void locked(int* lock, int* counter) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *(volatile int*)counter = *(volatile int*)counter + 1;
  __threadfence();
  atomicExch(lock, 0);
}

/// A retry loop that reads and swaps: a poll must not sleep here until somebody else changes the word.
__device__ int fetch_and_triple(int* word) {
  int old = *(volatile int*)word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, assumed * 3 % 1001);
  } while (old != assumed);
  return old;
}
__global__ void triple(int* word) { fetch_and_triple(word); }

__global__ void work(int* next, int* done, int items) {
  for (;;) {
    int item = atomicAdd(next, 1);
    if (item >= items) return;
    atomicAdd(&done[item], 1);
  }
}

int main() {
  DeviceArray<int> words(2);
  locked<<<8, 32>>>(words, words + 1);
  std::vector<int> r = words.read();
  CHECK(r[0] == 0 && r[1] == 8);

  DeviceArray<int> word(std::vector<int>{1});
  triple<<<2, 48>>>(word);
  int expected = 1;
  for (int i = 0; i < 96; ++i) expected = expected * 3 % 1001;
  CHECK(word.read()[0] == expected);

  DeviceArray<int> next(1), done(100);
  work<<<4, 8>>>(next, done, 100);
  for (int count : done.read()) CHECK(count == 1);
  return verdict();
}
