// Tree reduction in shared memory with a barrier in every step, block results joined by atomicAdd.
#include "check.hpp"

__global__ void reduce(const int* values, int* sum, int n) {
  __shared__ int partial[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? values[i] : 0;
  __syncthreads();
  for (int distance = blockDim.x / 2; distance > 0; distance >>= 1) {
    if (threadIdx.x < distance) partial[threadIdx.x] += partial[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

int main() {
  const int n = 10000;
  std::vector<int> values(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += values[i] = i % 17;
  DeviceArray<int> input(values), sum(1);
  reduce<<<(n + 255) / 256, 256>>>(input, sum, n);
  CHECK(sum.read()[0] == expected);
  return verdict();
}
