// extern and static shared memory of one kernel do not overlap, also with wide alignment.
#include <cstdint>

#include "check.hpp"

__global__ void reverse(int* values, int* aligned) {
  extern __shared__ int dynamic[];
  __shared__ int padding[3];
  __shared__ __align__(128) double wide[4];
  padding[threadIdx.x % 3] = 7;
  wide[threadIdx.x % 4] = 0.5;
  dynamic[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x] + padding[0] - 7 + int(wide[3] * 2) - 1;
  if (threadIdx.x == 0) *aligned = reinterpret_cast<uintptr_t>(wide) % 128 == 0;
}

int main() {
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[i] = i * i;
  DeviceArray<int> data(values), aligned(1);
  reverse<<<1, 64, 64 * sizeof(int)>>>(data, aligned);
  std::vector<int> result = data.read();
  for (int i = 0; i < 64; ++i) CHECK(result[i] == (63 - i) * (63 - i));
  CHECK(aligned.read()[0] == 1);
  return verdict();
}
