// red and atom of inline PTX, modifiers in any order.
#include "check.hpp"

struct Words {
  unsigned long long sum, swap;
  int added, exchanged, largest;
  unsigned bits, wrap;
  float real;
  double wide;
};

__global__ void update(Words* w, int* old) {
  unsigned long long before;
  int ticket, first;
  asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(&w->sum), "l"(1ull << 34) : "memory");
  asm volatile("atom.add.release.gpu.global.s32 %0, [%1], %2;" : "=r"(ticket) : "l"(&w->added), "r"(2) : "memory");
  old[threadIdx.x] = ticket;
  asm volatile("atom.global.acq_rel.sys.cas.b64 %0, [%1], %2, %3;"
               : "=l"(before)
               : "l"(&w->swap), "l"(5ull), "l"(6ull)
               : "memory");
  asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(first) : "l"(&w->exchanged), "r"(77) : "memory");
  asm volatile("red.global.max.s32 [%0], %1;" ::"l"(&w->largest), "r"(int(threadIdx.x) - 10) : "memory");
  asm volatile("red.relaxed.sys.global.or.b32 [%0], %1;" ::"l"(&w->bits), "r"(1u << threadIdx.x) : "memory");
  asm volatile("red.global.inc.u32 [%0], %1;" ::"l"(&w->wrap), "r"(6) : "memory");
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(&w->real), "f"(0.5f) : "memory");
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(&w->wide), "d"(0.25) : "memory");
}

int main() {
  Words start = {};
  start.swap = 5;
  start.largest = -100;
  DeviceArray<Words> words(std::vector<Words>{start});
  DeviceArray<int> old(32);
  update<<<1, 32>>>(words, old);
  Words w = words.read()[0];
  CHECK(w.sum == 32ull << 34 && w.swap == 6 && w.added == 64 && w.exchanged == 77 && w.largest == 21);
  CHECK(w.bits == 0xffffffffu && w.wrap == 32 % 7 && w.real == 16.0f && w.wide == 8.0);
  int total = 0;
  for (int ticket : old.read()) total += ticket;
  CHECK(total == 31 * 32);
  return verdict();
}
