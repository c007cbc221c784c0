// A shift by the width of the word or more gives 0, or the sign: GPUs clamp the count (PTX ISA, shl and shr).
#include "check.hpp"

__global__ void shift(unsigned count, unsigned* u, int* s, unsigned long long* l) {
  u[0] = ~0u << count;
  u[1] = ~0u >> count;
  s[0] = -8 >> count;
  s[1] = 8 >> count;
  l[0] = ~0ull << count;
  l[1] = ~0ull >> count;
}

int main() {
  DeviceArray<unsigned> u(2);
  DeviceArray<int> s(2);
  DeviceArray<unsigned long long> l(2);
  for (unsigned count : {0u, 1u, 31u, 32u, 63u, 64u, 200u}) {
    shift<<<1, 1>>>(count, u, s, l);
    CHECK(u.read()[0] == (count < 32 ? ~0u << count : 0));
    CHECK(u.read()[1] == (count < 32 ? ~0u >> count : 0));
    CHECK(s.read()[0] == (count < 32 ? -8 >> count : -1));
    CHECK(s.read()[1] == (count < 32 ? 8 >> count : 0));
    CHECK(l.read()[0] == (count < 64 ? ~0ull << count : 0));
    CHECK(l.read()[1] == (count < 64 ? ~0ull >> count : 0));
  }
  return verdict();
}
