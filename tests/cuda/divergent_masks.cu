// Half-warps in different branches, each with its own mask; named lanes beyond the block's end do not count.
#include "check.hpp"

__global__ void halves(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16)
    value += __shfl_xor_sync(0x0000ffffu, value, 1);
  else
    value += __shfl_xor_sync(0xffff0000u, value, 2);
  __syncwarp();
  out[threadIdx.x] = value;
}

__global__ void short_warp(unsigned* out) { out[threadIdx.x] = __ballot_sync(0xffffffffu, threadIdx.x != 1); }

int main() {
  DeviceArray<int> out(32);
  halves<<<1, 32>>>(out);
  std::vector<int> r = out.read();
  for (int t = 0; t < 32; ++t) CHECK(r[t] == t + (t < 16 ? t ^ 1 : t ^ 2));
  DeviceArray<unsigned> ballots(5);
  short_warp<<<1, 5>>>(ballots);
  for (unsigned b : ballots.read()) CHECK(b == 0b11101u);
  return verdict();
}
