// Large by-value arguments that the kernel changes: each thread has its own copy. Small arguments beside them.
#include "check.hpp"

template <int n>
struct Vector {
  double v[n];
  __host__ __device__ double sum() const {
    double s = 0;
    for (int i = 0; i < n; ++i) s += v[i];
    return s;
  }
};

struct alignas(32) Aligned {
  float v[8];
};

__global__ void change(Vector<64> a, char c, short s, bool b, Aligned wide, double* out) {
  a.v[0] += threadIdx.x;
  wide.v[threadIdx.x % 8] += 1;
  float total = 0;
  for (float x : wide.v) total += x;
  out[threadIdx.x] = a.sum() + c + s + b + total;
}

int main() {
  Vector<64> a;
  for (int i = 0; i < 64; ++i) a.v[i] = i;
  Aligned wide{{1, 1, 1, 1, 1, 1, 1, 1}};
  DeviceArray<double> out(4);
  change<<<1, 4>>>(a, -3, -1000, true, wide, out);
  std::vector<double> r = out.read();
  for (int i = 0; i < 4; ++i) CHECK(r[i] == 2016 + i - 3 - 1000 + 1 + 9);
  return verdict();
}
