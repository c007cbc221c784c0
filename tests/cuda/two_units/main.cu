// Device functions, variables and shared memory across two translation units (build both files into one program).
#include "../check.hpp"

extern __device__ int shared_variable;
__device__ int other_unit(int x);
__device__ int block_sum(int value);
int run_other(int value);
__global__ void launched_elsewhere(int* out);

static __device__ int same_name = 1;
static __global__ void same_kernel(int* out) { *out = same_name; }

template <class T>
__global__ void common(T* out) {
  __shared__ T copy[32];
  copy[threadIdx.x] = T(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = copy[31 - threadIdx.x];
}

__global__ void use(int* out) {
  __shared__ int own[32];
  own[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int sum = block_sum(1);  // uses shared memory of the other unit
  out[threadIdx.x] = own[31 - threadIdx.x] + sum * 100 + other_unit(threadIdx.x) + shared_variable;
}

int main() {
  DeviceArray<int> out(32), same(1);
  use<<<1, 32>>>(out);
  std::vector<int> r = out.read();
  for (int t = 0; t < 32; ++t) CHECK(r[t] == 31 - t + 3200 + t * t + 7);
  int eight = 8;
  CHECK(cudaMemcpyToSymbol(shared_variable, &eight, sizeof eight) == cudaSuccess);
  use<<<1, 32>>>(out);
  CHECK(out.read()[31] == 3200 + 31 * 31 + 8);
  launched_elsewhere<<<1, 1>>>(same);
  CHECK(same.read()[0] == 17);
  same_kernel<<<1, 1>>>(same);
  CHECK(same.read()[0] == 1);
  int nine = 9;
  CHECK(cudaMemcpyToSymbol(same_name, &nine, sizeof nine) == cudaSuccess);
  same_kernel<<<1, 1>>>(same);
  CHECK(same.read()[0] == 9);
  common<<<1, 32>>>(out.data());
  CHECK(out.read()[4] == 27);
  CHECK(run_other(5) == 2 + 27 + 5);
  return verdict();
}
