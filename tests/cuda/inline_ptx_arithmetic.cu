// The small instructions of inline PTX: every result is compared with the host's.
#include <cmath>
#include <cstdint>

#include "check.hpp"

__global__ void integers(const int* in, int* out) {
  int a = in[0], b = in[1], r, k = 0;
  unsigned u;
  long long wide;
  unsigned long long packed;
  asm("add.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); out[k++] = r;
  asm("sub.s32 %0, %1, 5;" : "=r"(r) : "r"(a)); out[k++] = r;
  asm("mul.lo.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); out[k++] = r;
  asm("mul.hi.s32 %0, %1, %2;" : "=r"(r) : "r"(a << 20), "r"(b << 20)); out[k++] = r;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(wide) : "r"(a << 20), "r"(b)); out[k++] = int(wide >> 16);
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(7)); out[k++] = r;
  asm("div.s32 %0, %1, %2;" : "=r"(r) : "r"(b), "r"(a)); out[k++] = r;
  asm("rem.s32 %0, %1, %2;" : "=r"(r) : "r"(b), "r"(a)); out[k++] = r;
  asm("min.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); out[k++] = r;
  asm("max.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); out[k++] = r;
  asm("abs.s32 %0, %1;" : "=r"(r) : "r"(b)); out[k++] = r;
  asm("neg.s32 %0, %1;" : "=r"(r) : "r"(a)); out[k++] = r;
  asm("and.b32 %0, %1, 0xff;" : "=r"(r) : "r"(b)); out[k++] = r;
  asm("xor.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); out[k++] = r;
  asm("not.b32 %0, %1;" : "=r"(r) : "r"(a)); out[k++] = r;
  asm("shl.b32 %0, %1, 3;" : "=r"(r) : "r"(a)); out[k++] = r;
  asm("shl.b32 %0, %1, 40;" : "=r"(r) : "r"(a)); out[k++] = r;
  asm("shr.s32 %0, %1, 2;" : "=r"(r) : "r"(b)); out[k++] = r;
  asm("shr.u32 %0, %1, 28;" : "=r"(r) : "r"(b)); out[k++] = r;
  asm("bfind.u32 %0, %1;" : "=r"(u) : "r"(a)); out[k++] = u;
  asm("popc.b32 %0, %1;" : "=r"(r) : "r"(b)); out[k++] = r;
  asm("clz.b32 %0, %1;" : "=r"(r) : "r"(a)); out[k++] = r;
  asm("brev.b32 %0, %1;" : "=r"(r) : "r"(a)); out[k++] = r;
  asm("bfe.u32 %0, %1, 4, 8;" : "=r"(r) : "r"(b)); out[k++] = r;
  asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(r) : "r"(a), "r"(b)); out[k++] = r;
  asm("prmt.b32 %0, %1, %2, 0x5140;" : "=r"(r) : "r"(a), "r"(b)); out[k++] = r;
  asm("shf.l.wrap.b32 %0, %1, %2, 8;" : "=r"(r) : "r"(a), "r"(b)); out[k++] = r;
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(a), "r"(b), "r"(0x0f0f0f0f)); out[k++] = r;
  asm("{ .reg .pred P; setp.ne.s32 P, %1, 0; selp.s32 %0, 1, 2, P; }" : "=r"(r) : "r"(a)); out[k++] = r;
  asm("{\n\t.reg .pred p, q;\n\tsetp.lt.and.s32 p|q, %1, %2, 1;\n\tselp.b32 %0, 10, 20, p;\n\t}" : "=r"(r) : "r"(b), "r"(a)); out[k++] = r;
  asm("mov.b64 %0, {%1, %2};" : "=l"(packed) : "r"(a), "r"(b)); out[k++] = int(packed >> 32);
  asm("{ .reg .b32 lo; mov.b64 {lo, %0}, %1; }" : "=r"(r) : "l"(packed)); out[k++] = r;
  asm("cvt.u32.u16 %0, %1;" : "=r"(r) : "h"((unsigned short)0xfff0)); out[k++] = r;
  asm("cvt.s32.s16 %0, %1;" : "=r"(r) : "h"((unsigned short)0xfff0)); out[k++] = r;
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(r) : "r"(a * 100)); out[k++] = r;
  int counter = 5;
  asm volatile("add.s32 %0, %0, %1;" : "+r"(counter) : "r"(a)); out[k++] = counter;
}

__global__ void floats(const float* in, float* out, int* whole) {
  float a = in[0], b = in[1], r;
  double d;
  int k = 0, n, i = 0;
  unsigned short half;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(1.0f)); out[k++] = r;
  asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(a)); out[k++] = r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a)); out[k++] = r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a)); out[k++] = r;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(a)); out[k++] = r;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(a)); out[k++] = r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a)); out[k++] = r;
  asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); out[k++] = r;
  asm("mov.f32 %0, 0f3F800000;" : "=f"(r)); out[k++] = r;
  asm("add.f64 %0, %1, 0d3FE0000000000000;" : "=d"(d) : "d"(double(a))); out[k++] = float(d);
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(a));
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(half)); out[k++] = r;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(n) : "f"(2.5f)); whole[i++] = n;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(n) : "f"(b)); whole[i++] = n;
  asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(n) : "f"(b)); whole[i++] = n;
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(n) : "f"(b)); whole[i++] = n;
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(r) : "r"(-7)); out[k++] = r;
}

int main() {
  const int a = 13, b = -100;
  DeviceArray<int> in(std::vector<int>{a, b}), out(64);
  integers<<<1, 1>>>(in, out);
  const uint32_t ub = b, ua = a;
  const int expected[] = {
      a + b, a - 5, a * b, int((int64_t(a << 20) * (b * (1 << 20))) >> 32), int((int64_t(a << 20) * b) >> 16), a * b + 7,
      b / a, b % a, b, b, 100, -a, b & 0xff, a ^ b, ~a, a << 3, 0, b >> 2, int(ub >> 28), 3, __builtin_popcount(ub),
      __builtin_clz(ua), int(0xb0000000u), int(ub >> 4 & 0xff), int((ub & ~0xf00u) | 13u << 8),
      int((ua & 0xff) | (ub & 0xff) << 8 | (ua >> 8 & 0xff) << 16 | (ub >> 8 & 0xff) << 24),
      int(ub << 8 | ua >> 24), int((ua & ub) | (ub & 0x0f0f0f0fu) | (ua & 0x0f0f0f0fu)), 1, 10, b, b, 0xfff0, -16, 255, 18};
  std::vector<int> r = out.read();
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    CHECK(r[i] == expected[i]);
    if (r[i] != expected[i]) std::printf("  result %zu is %d, expected %d\n", i, r[i], expected[i]);
  }
  const float x = 2.25f, y = -1.5f;
  DeviceArray<float> real_in(std::vector<float>{x, y}), real_out(16);
  DeviceArray<int> whole(4);
  floats<<<1, 1>>>(real_in, real_out, whole);
  const float real[] = {x * y + 1, std::log2(x), std::exp2(x), 1 / x, 1.5f, 1 / 1.5f, std::tanh(x), x, 1, 2.75f, x, -7};
  std::vector<float> f = real_out.read();
  for (size_t i = 0; i < sizeof real / sizeof *real; ++i) CHECK(std::fabs(f[i] - real[i]) < 1e-5f);
  std::vector<int> w = whole.read();
  CHECK(w[0] == 2 && w[1] == -1 && w[2] == -2 && w[3] == 0);
  return verdict();
}
