// __syncthreads_count, _and and _or.
#include "check.hpp"

__global__ void vote(int* out) {
  int odd = __syncthreads_count(threadIdx.x & 1);
  int all = __syncthreads_and(threadIdx.x < 40), not_all = __syncthreads_and(threadIdx.x != 3);
  int some = __syncthreads_or(threadIdx.x == 5), none = __syncthreads_or(threadIdx.x == 50);
  out[threadIdx.x] = odd * 10000 + (all != 0) * 1000 + (not_all != 0) * 100 + (some != 0) * 10 + (none != 0);
}

int main() {
  DeviceArray<int> out(40);
  vote<<<1, 40>>>(out);
  for (int value : out.read()) CHECK(value == 201010);
  return verdict();
}
