// Loads and stores of inline PTX: orders, scopes, hints, widths, vectors, 32-bit shared addresses.
#include "check.hpp"

__global__ void global_memory(int* p, unsigned long long* q, float* f, int4* v, unsigned short* h) {
  int a, b, c, d;
  unsigned long long l, m;
  float x;
  unsigned byte;
  asm volatile("ld.relaxed.gpu.global.L1::no_allocate.b32 %0, [%1];" : "=r"(a) : "l"(p));
  asm volatile("ld.volatile.global.u32 %0, [%1+4];" : "=r"(b) : "l"(p));
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(p + 2), "r"(a + b) : "memory");
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(l) : "l"(q));
  asm volatile("st.release.sys.global.u64 [%0+8], %1;" ::"l"(q), "l"(l + 1) : "memory");
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v2.u64 {%0, %1}, [%2];" : "=l"(l), "=l"(m) : "l"(q));
  q[2] = l + m;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(f));
  asm volatile("st.global.wt.f32 [%0], %1;" ::"l"(f + 1), "f"(x * 2) : "memory");
  asm volatile("st.global.cs.b16 [%0], %1;" ::"l"(h + 1), "h"((unsigned short)(h[0] + 1)) : "memory");
  asm volatile("ld.global.nc.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(v));
  asm volatile("st.global.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(v + 1), "r"(d), "r"(c), "r"(b), "r"(a) : "memory");
  asm volatile("ld.global.s8 %0, [%1];" : "=r"(a) : "l"(p + 3));
  asm volatile("ld.global.u8 %0, [%1];" : "=r"(byte) : "l"(p + 3));
  p[4] = a;
  p[5] = byte;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
  asm volatile("fence.acq_rel.sys;" ::: "memory");
  asm volatile("membar.gl;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__global__ void shared_memory(int* out) {
  __shared__ int words[64];
  extern __shared__ int dynamic[];
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x));
  unsigned dynamic_address = static_cast<unsigned>(__cvta_generic_to_shared(dynamic + threadIdx.x));
  int value, other;
  asm volatile("st.shared.s32 [%0], %1;" ::"r"(address), "r"(threadIdx.x * 3) : "memory");
  asm volatile("st.shared::cta.b32 [%0], %1;" ::"r"(dynamic_address), "r"(threadIdx.x + 100) : "memory");
  __syncthreads();
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(address ^ 4));
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(other) : "r"(dynamic_address ^ 4));
  void* generic = __cvta_shared_to_generic(address);
  out[threadIdx.x] = value + other + (generic == words + threadIdx.x ? 0 : 1000);
}

int main() {
  DeviceArray<int> p(std::vector<int>{3, 4, 0, -2, 0, 0});
  DeviceArray<unsigned long long> q(std::vector<unsigned long long>{1ull << 35, 0, 0});
  DeviceArray<float> f(std::vector<float>{1.5f, 0});
  DeviceArray<int4> v(std::vector<int4>{{1, 2, 3, 4}, {}});
  DeviceArray<unsigned short> h(std::vector<unsigned short>{41, 0});
  global_memory<<<1, 1>>>(p, q, f, v, h);
  CHECK(p.read()[2] == 7 && p.read()[4] == -2 && p.read()[5] == 254);
  CHECK(q.read()[1] == (1ull << 35) + 1 && q.read()[2] == (1ull << 36) + 1);
  CHECK(f.read()[1] == 3.0f);
  CHECK(v.read()[1].x == 4 && v.read()[1].w == 1);
  CHECK(h.read()[1] == 42);
  DeviceArray<int> out(64);
  shared_memory<<<1, 64, 64 * sizeof(int)>>>(out);
  std::vector<int> r = out.read();
  for (int t = 0; t < 64; ++t) CHECK(r[t] == (t ^ 1) * 3 + (t ^ 1) + 100);
  return verdict();
}
