// Kernels and variables of an anonymous namespace, and static ones.
#include "check.hpp"

namespace {
__device__ int hidden;
__global__ void set(int value) { hidden = value; }
}  // namespace
static __global__ void get(int* out) { *out = hidden; }

int main() {
  DeviceArray<int> out(1);
  set<<<1, 1>>>(4);
  get<<<1, 1>>>(out);
  CHECK(out.read()[0] == 4);
  int eleven = 11;
  CHECK(cudaMemcpyToSymbol(hidden, &eleven, sizeof eleven) == cudaSuccess);
  get<<<1, 1>>>(out);
  CHECK(out.read()[0] == 11);
  return verdict();
}
