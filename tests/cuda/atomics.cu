// Every atomic function on every type it has, from many threads.
#include "check.hpp"

struct Words {
  int add, sub, low, high, exchange, swap, bits_or, bits_and, bits_xor;
  unsigned increment, decrement, unsigned_add, unsigned_max;
  unsigned long long long_add, long_max, long_swap;
  float float_add;
  double double_add;
};

__global__ void update(Words* w, int* seen) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  int ticket = atomicAdd(&w->add, 1);
  atomicAdd(&seen[ticket], 1);
  atomicSub(&w->sub, 2);
  atomicMin(&w->low, -t);
  atomicMax(&w->high, t);
  atomicExch(&w->exchange, 77);
  atomicCAS(&w->swap, 0, t + 1);
  atomicOr(&w->bits_or, 1 << (t % 32));
  atomicAnd(&w->bits_and, ~(1 << (t % 31)));
  atomicXor(&w->bits_xor, 1 << (t % 2));
  atomicInc(&w->increment, 9);
  atomicDec(&w->decrement, 9);
  atomicAdd(&w->unsigned_add, 3u);
  atomicMax(&w->unsigned_max, 0x80000000u + t);
  atomicAdd(&w->long_add, 1ull << 33);
  atomicMax(&w->long_max, (1ull << 40) + t);
  atomicCAS(&w->long_swap, 5ull, 6ull);
  atomicAdd(&w->float_add, 0.5f);
  atomicAdd(&w->double_add, 0.25);
}

int main() {
  Words start = {};
  start.bits_and = -1;
  start.long_swap = 5;
  DeviceArray<Words> words(std::vector<Words>{start});
  DeviceArray<int> seen(128);
  update<<<2, 64>>>(words, seen);
  Words w = words.read()[0];
  CHECK(w.add == 128 && w.sub == -256 && w.low == -127 && w.high == 127 && w.exchange == 77);
  CHECK(w.swap >= 1 && w.swap <= 128);
  CHECK(w.bits_or == -1 && w.bits_and == int(0x80000000) && w.bits_xor == 0);
  CHECK(w.increment == 128 % 10 && w.decrement == 2);
  CHECK(w.unsigned_add == 384 && w.unsigned_max == 0x80000000u + 127);
  CHECK(w.long_add == 128ull << 33 && w.long_max == (1ull << 40) + 127 && w.long_swap == 6);
  CHECK(w.float_add == 64.0f && w.double_add == 32.0);
  for (int count : seen.read()) CHECK(count == 1);
  return verdict();
}
