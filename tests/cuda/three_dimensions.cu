// 3-D grids and blocks, with and without waiting in the kernel.
#include "check.hpp"

template <bool waits>
__global__ void number(int* out) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (waits) __syncthreads();
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

int main() {
  const int blocks = 2 * 3 * 2, threads = 4 * 2 * 3;
  for (bool waits : {false, true}) {
    DeviceArray<int> out(blocks * threads);
    if (waits)
      number<true><<<dim3(2, 3, 2), dim3(4, 2, 3)>>>(out);
    else
      number<false><<<dim3(2, 3, 2), dim3(4, 2, 3)>>>(out);
    std::vector<int> r = out.read();
    for (int b = 0; b < blocks; ++b)
      for (int t = 0; t < threads; ++t) CHECK(r[b * threads + t] == b * 1000 + t);
  }
  return verdict();
}
