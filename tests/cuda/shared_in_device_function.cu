// Shared variables that belong to device functions, one inlined and one not, and a shared object with a constructor.
#include "check.hpp"

__device__ int mirror(int value) {
  static __shared__ int copy[32];
  copy[threadIdx.x] = value;
  __syncthreads();
  int result = copy[31 - threadIdx.x];
  __syncthreads();
  return result;
}

template <class T>
__device__ __noinline__ T sum_of_block(T value) {
  __shared__ T total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, value);
  __syncthreads();
  return total;
}

struct Plain {
  int x;
  __device__ Plain() {}
};

__global__ void use(int* mirrored, int* sums, double* real_sums) {
  __shared__ Plain object;
  if (threadIdx.x == 0) object.x = 9;
  mirrored[threadIdx.x + 32 * blockIdx.x] = mirror(mirror(threadIdx.x) + 1) + object.x;
  sums[blockIdx.x] = sum_of_block<int>(blockIdx.x + 1);
  real_sums[blockIdx.x] = sum_of_block<double>(0.5);
}

int main() {
  DeviceArray<int> mirrored(64), sums(2);
  DeviceArray<double> real_sums(2);
  use<<<2, 32>>>(mirrored, sums, real_sums);
  std::vector<int> r = mirrored.read(), s = sums.read();
  for (int i = 0; i < 64; ++i) CHECK(r[i] == i % 32 + 1 + 9);
  CHECK(s[0] == 32 && s[1] == 64);
  CHECK(real_sums.read()[1] == 16.0);
  return verdict();
}
