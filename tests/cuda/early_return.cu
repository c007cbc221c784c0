// Threads that returned count as arrived at later barriers.
#include "check.hpp"

__global__ void leave(int* out) {
  if (threadIdx.x >= 20) return;
  __syncthreads();
  out[threadIdx.x] = 1;
  __syncthreads();
}

int main() {
  DeviceArray<int> out(40);
  leave<<<1, 40>>>(out);
  std::vector<int> r = out.read();
  for (int i = 0; i < 40; ++i) CHECK(r[i] == (i < 20));
  return verdict();
}
