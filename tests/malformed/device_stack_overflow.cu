// expect: exit=1 message="stack"
// pes: 1
// Recursion a million calls deep in a kernel.
#include "malformed.hpp"

__device__ __attribute__((noinline)) int deep(int n, volatile int* sink) {
  if (n == 1000000) return 0;
  volatile int frame[64];
  frame[n % 64] = n;
  *sink = frame[n % 64];
  return deep(n + 1, sink) + frame[(n + 1) % 64];
}

__global__ void recurse(int* sink) { *sink = deep(0, sink); }

int main() {
  start();
  int* sink = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  recurse<<<1, 1>>>(sink);
  return finish();
}
