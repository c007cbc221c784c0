// The second unit of two_units/main.cu: same names of local kernels and variables, a common template.
#include "../check.hpp"

__device__ int shared_variable = 7;
__device__ int other_unit(int x) { return x * x; }

__device__ int block_sum(int value) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, value);
  __syncthreads();
  return total;
}

__global__ void launched_elsewhere(int* out) { *out = 17; }

static __device__ int same_name = 2;
static __global__ void same_kernel(int* out) { *out = same_name; }

template <class T>
__global__ void common(T* out) {
  __shared__ T copy[32];
  copy[threadIdx.x] = T(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = copy[31 - threadIdx.x];
}

int run_other(int value) {
  DeviceArray<int> same(1), out(32);
  same_kernel<<<1, 1>>>(same);
  common<<<1, 32>>>(out.data());
  return same.read()[0] + out.read()[4] + value;
}
