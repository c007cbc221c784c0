// __device__ and __constant__ variables, reached from the host with the symbol functions; initial values.
#include <cmath>

#include "check.hpp"

__device__ int counter;
__constant__ float table[4];
__constant__ int constants[3] = {10, 20, 30};
__device__ int initialised = 42;
static __device__ int local_to_file = 5;
__device__ int* pointer_to_counter = &counter;

__device__ __noinline__ float look_up(float x, int i) { return sqrtf(x) + table[i & 3] + expf(0.0f); }

__global__ void use(float* out) {
  out[threadIdx.x] = look_up(16.0f, threadIdx.x);
  atomicAdd(pointer_to_counter, 1);
}
__global__ void read(int* out) { *out = constants[1] + initialised + local_to_file; }

int main() {
  float values[4] = {1, 2, 3, 4};
  int five = 5;
  CHECK(cudaMemcpyToSymbol(table, values, sizeof values) == cudaSuccess);
  CHECK(cudaMemcpyToSymbol(counter, &five, sizeof five) == cudaSuccess);
  DeviceArray<float> out(8);
  use<<<1, 8>>>(out);
  std::vector<float> r = out.read();
  CHECK(r[2] == 8.0f && r[7] == 9.0f);
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count) == cudaSuccess);
  CHECK(count == 13);

  DeviceArray<int> sum(1);
  read<<<1, 1>>>(sum);
  CHECK(sum.read()[0] == 67);
  int seven = 7;
  CHECK(cudaMemcpyToSymbol(local_to_file, &seven, sizeof seven) == cudaSuccess);
  read<<<1, 1>>>(sum);
  CHECK(sum.read()[0] == 69);
  void* address = nullptr;
  size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, counter) == cudaSuccess && address != nullptr);
  CHECK(cudaGetSymbolSize(&bytes, table) == cudaSuccess && bytes == 16);
  return verdict();
}
