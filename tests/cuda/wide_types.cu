// __int128, _Float16 and vector types in device code.
#include "check.hpp"

__global__ void compute(unsigned long long* large, float* small, float4* vectors) {
  __int128 a = (__int128)1 << 70;
  large[threadIdx.x] = (unsigned long long)(a >> 66) + threadIdx.x;
  _Float16 x = 1.5f, y = 2.25f;
  small[threadIdx.x] = (float)(x * y);
  float4 v = vectors[threadIdx.x];
  vectors[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x + threadIdx.x);
}

int main() {
  DeviceArray<unsigned long long> large(2);
  DeviceArray<float> small(2);
  DeviceArray<float4> vectors(std::vector<float4>{{1, 2, 3, 4}, {5, 6, 7, 8}});
  compute<<<1, 2>>>(large, small, vectors);
  CHECK(large.read()[1] == 17);
  CHECK(small.read()[0] == 3.375f);
  std::vector<float4> v = vectors.read();
  CHECK(v[0].x == 4 && v[0].w == 1 && v[1].y == 7 && v[1].w == 6);
  return verdict();
}
