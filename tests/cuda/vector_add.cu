// A kernel without any wait: every element is written once, the last block is not full.
#include "check.hpp"

__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 10000;
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i) values[i] = i;
  DeviceArray<float> a(values), b(values), c(n);
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  std::vector<float> sums = c.read();
  for (int i = 0; i < n; ++i) CHECK(sums[i] == 2.0f * i);
  return verdict();
}
