// Lambdas with captures as kernel arguments, and a functor.
#include "check.hpp"

template <class F>
__global__ void apply(F f, int* out) {
  out[threadIdx.x] = f(threadIdx.x);
}

struct Multiply {
  int factor;
  __host__ __device__ int operator()(int x) const { return factor * x; }
};

int main() {
  DeviceArray<int> out(8);
  int offset = 7;
  apply<<<1, 8>>>([=] __device__(int x) { return x + offset; }, out.data());
  CHECK(out.read()[3] == 10);
  apply<<<1, 8>>>([=] __host__ __device__(int x) { return x - offset; }, out.data());
  CHECK(out.read()[3] == -4);
  apply<<<1, 8>>>(Multiply{4}, out.data());
  CHECK(out.read()[3] == 12);
  return verdict();
}
