// Shuffles of all modes, types and widths.
#include "check.hpp"

__global__ void sum_warps(const int* values, int* sums) {
  int value = values[threadIdx.x];
  for (int distance = 16; distance; distance >>= 1) value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
}

__global__ void modes(int* out, double* wide, long long* large) {
  int lane = threadIdx.x;
  out[lane] = __shfl_sync(0xffffffffu, lane * 10, 5);
  out[32 + lane] = __shfl_up_sync(0xffffffffu, lane, 3);
  out[64 + lane] = __shfl_xor_sync(0xffffffffu, lane, 1);
  out[96 + lane] = __shfl_down_sync(0xffffffffu, lane, 2, 8);
  out[128 + lane] = __shfl_sync(0xffffffffu, lane, 3, 16);
  wide[lane] = __shfl_xor_sync(0xffffffffu, lane * 0.5, 31);
  large[lane] = __shfl_sync(0xffffffffu, (1LL << 40) + lane, 7);
}

int main() {
  std::vector<int> values(64);
  int expected[2] = {};
  for (int i = 0; i < 64; ++i) expected[i / 32] += values[i] = 3 * i + 1;
  DeviceArray<int> input(values), sums(2);
  sum_warps<<<1, 64>>>(input, sums);
  std::vector<int> got = sums.read();
  CHECK(got[0] == expected[0] && got[1] == expected[1]);

  DeviceArray<int> out(160);
  DeviceArray<double> wide(32);
  DeviceArray<long long> large(32);
  modes<<<1, 32>>>(out, wide, large);
  std::vector<int> o = out.read();
  std::vector<double> w = wide.read();
  std::vector<long long> l = large.read();
  for (int lane = 0; lane < 32; ++lane) {
    CHECK(o[lane] == 50);
    CHECK(o[32 + lane] == (lane < 3 ? lane : lane - 3));
    CHECK(o[64 + lane] == (lane ^ 1));
    CHECK(o[96 + lane] == (lane % 8 < 6 ? lane + 2 : lane));
    CHECK(o[128 + lane] == lane / 16 * 16 + 3);
    CHECK(w[lane] == (31 - lane) * 0.5);
    CHECK(l[lane] == (1LL << 40) + 7);
  }
  return verdict();
}
