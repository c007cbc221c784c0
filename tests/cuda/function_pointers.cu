// Tables of device functions, and a function pointer that the host fetched as a symbol.
#include "check.hpp"

typedef int (*Function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int negative(int x) { return -x; }
__device__ Function table[2] = {twice, negative};
__device__ Function chosen = twice;

__global__ void call(int* out) { out[threadIdx.x] = table[threadIdx.x & 1](threadIdx.x); }
__global__ void call_argument(Function f, int* out) { out[threadIdx.x] = f(threadIdx.x); }

int main() {
  DeviceArray<int> out(8);
  call<<<1, 8>>>(out);
  std::vector<int> r = out.read();
  for (int t = 0; t < 8; ++t) CHECK(r[t] == (t & 1 ? -t : 2 * t));
  Function f = nullptr;
  CHECK(cudaMemcpyFromSymbol(&f, chosen, sizeof f) == cudaSuccess);
  call_argument<<<1, 8>>>(f, out);
  CHECK(out.read()[5] == 10);
  return verdict();
}
