// Guards, labels and loops inside asm statements; exit; special registers.
#include "check.hpp"

__global__ void guards(int* out) {
  int r = 5, loops = 0;
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 3; @p mov.s32 %0, 30; @!p add.s32 %0, %0, 1; }"
               : "+r"(r) : "r"(threadIdx.x));
  asm volatile(
      "{\n"
      "  .reg .pred more;   // counts up to the thread's number\n"
      "  mov.s32 %0, 0;\n"
      "again:\n"
      "  setp.ge.s32 more, %0, %1;\n"
      "  @more bra done;\n"
      "  add.s32 %0, %0, 1;\n"
      "  bra again;\n"
      "done:\n"
      "}"
      : "+r"(loops) : "r"(threadIdx.x));
  out[threadIdx.x] = r * 100 + loops;
}

__global__ void leave(int* out) {
  if (threadIdx.x == 2) asm volatile("exit;");
  out[threadIdx.x] = 1;
}

__global__ void registers(unsigned* out) {
  unsigned tid, ntid, cta, warp, eq, lt;
  asm("mov.u32 %0, %%tid.x;" : "=r"(tid));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(ntid));
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(cta));
  asm("mov.u32 %0, WARP_SZ;" : "=r"(warp));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  bool right = tid == threadIdx.x && ntid == blockDim.x && cta == blockIdx.x && warp == 32 &&
               eq == 1u << (threadIdx.x % 32) && lt == (1u << (threadIdx.x % 32)) - 1;
  out[cta * ntid + tid] = right;
}

__global__ void time(long long* out) {
  unsigned long long first, second;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first));
  asm volatile("nanosleep.u32 %0;" ::"r"(500));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(second));
  long long cycles = clock64();
  asm volatile("nanosleep.u32 500;");
  out[0] = second - first;
  out[1] = clock64() - cycles;
}

int main() {
  DeviceArray<int> out(8), left(4);
  guards<<<1, 8>>>(out);
  std::vector<int> r = out.read();
  for (int t = 0; t < 8; ++t) CHECK(r[t] == (t == 3 ? 30 : 6) * 100 + t);
  leave<<<1, 4>>>(left);
  r = left.read();
  CHECK(r[0] == 1 && r[1] == 1 && r[2] == 0 && r[3] == 1);
  DeviceArray<unsigned> right(128);
  registers<<<2, 64>>>(right);
  for (unsigned value : right.read()) CHECK(value == 1);
  DeviceArray<long long> times(2);
  time<<<1, 1>>>(times);
  CHECK(times.read()[0] >= 250 && times.read()[1] > 0);
  return verdict();
}
