// Kernel templates with deduced and explicit arguments, a grid-stride loop, a struct argument.
#include "check.hpp"

struct Scale {
  int count;
  double factor;
};

template <class T, int offset>
__global__ void scale(T* values, Scale s) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < s.count; i += blockDim.x * gridDim.x)
    values[i] = values[i] * s.factor + offset;
}

template <class T>
__global__ void fill(T* values, T value) {
  values[threadIdx.x] = value;
}

int main() {
  std::vector<float> f(1000);
  for (int i = 0; i < 1000; ++i) f[i] = i;
  DeviceArray<float> floats(f);
  scale<float, 3><<<4, 64>>>(floats.data(), Scale{1000, 2.0});
  f = floats.read();
  for (int i = 0; i < 1000; ++i) CHECK(f[i] == 2.0f * i + 3);
  DeviceArray<double> doubles(4);
  fill<<<1, 4>>>(doubles.data(), 1.5);
  scale<double, 1><<<1, 32>>>(doubles.data(), Scale{4, 4.0});
  for (double d : doubles.read()) CHECK(d == 7.0);
  return verdict();
}
