// expect: exit=1 message="not symmetric"
// pes: 2
// The remote side of a put is memory from cudaMalloc: this PE's own, unknown to the other one.
#include "malformed.hpp"

__global__ void send(int* dest, const int* source, int to) { nvshmemx_int_put_block(dest, source, 4, to); }

int main() {
  start();
  int *dest, *source = static_cast<int*>(nvshmem_calloc(4, sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dest, 4 * sizeof(int)));
  send<<<1, 32>>>(dest, source, 1 - nvshmem_my_pe());
  return finish();
}
