// A spin that gives up after some SM cycles must end although nobody writes its flag, and not long after its limit.
#include "program.hpp"

constexpr long long kLimit = 100000;

__global__ void spin_with_timeout(const int* flag, long long* elapsed) {
  const long long begin = clock64();
  while (*static_cast<const volatile int*>(flag) == 0 && clock64() - begin < kLimit) {
  }
  *elapsed = clock64() - begin;
}

int main() {
  start();
  int* flag = symmetric<int>();
  long long* elapsed = symmetric<long long>();
  spin_with_timeout<<<1, 1>>>(flag, elapsed);
  CUDA_CHECK(cudaDeviceSynchronize());
  const long long cycles = value_of(elapsed);
  if (cycles < kLimit || cycles > 3 * kLimit) fprintf(stderr, "gave up after %lld cycles of %lld\n", cycles, kLimit);
  return finish("timeout_loop", cycles >= kLimit && cycles <= 3 * kLimit);
}
