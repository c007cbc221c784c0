// Half and bfloat instructions of inline PTX, scalar and packed, and atomics on pairs.
#include <cstring>

#include "check.hpp"

__device__ unsigned pack_half(float low, float high) {
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
__device__ unsigned pack_bfloat(float low, float high) {
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
__device__ float half_to_float(unsigned short h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
__device__ float bfloat_to_float(unsigned short h) {
  float f;
  asm("cvt.f32.bf16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}

__global__ void compute(float* out, unsigned* sums) {
  unsigned a = pack_half(1.5f, -2.0f), b = pack_half(0.25f, 4.0f), r;
  asm("fma.rn.f16x2 %0, %1, %2, %1;" : "=r"(r) : "r"(a), "r"(b));
  out[0] = half_to_float(r & 0xffff);
  out[1] = half_to_float(r >> 16);
  a = pack_bfloat(3.0f, -0.5f), b = pack_bfloat(1.0f, 1.0078125f);
  asm("add.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  out[2] = bfloat_to_float(r & 0xffff);
  out[3] = bfloat_to_float(r >> 16);
  asm("max.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  out[4] = bfloat_to_float(r >> 16);
  unsigned short tie;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(tie) : "f"(1.00390625f));  // exactly between two values: to even
  out[5] = bfloat_to_float(tie);
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(sums), "r"(pack_half(0.5f, 1.0f)) : "memory");
  asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(sums + 1), "r"(pack_bfloat(0.5f, 1.0f)) : "memory");
  __syncthreads();
  out[6] = half_to_float(*(volatile unsigned*)sums & 0xffff);
  out[7] = bfloat_to_float(*(volatile unsigned*)(sums + 1) >> 16);
}

int main() {
  DeviceArray<float> out(8);
  DeviceArray<unsigned> sums(2);
  compute<<<1, 16>>>(out, sums);
  std::vector<float> r = out.read();
  const float expected[] = {1.875f, -10.0f, 4.0f, 0.5078125f, 1.0078125f, 1.0f, 8.0f, 16.0f};
  for (int i = 0; i < 8; ++i) {
    CHECK(r[i] == expected[i]);
    if (r[i] != expected[i]) std::printf("  result %d is %g, expected %g\n", i, r[i], expected[i]);
  }
  return verdict();
}
