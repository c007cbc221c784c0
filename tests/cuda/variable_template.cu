// Variable templates, inline variables and constexpr data on the device.
#include "check.hpp"

template <class T>
__device__ T number = T(6);
constexpr int primes[] = {2, 3, 5, 7};

struct Traits {
  static constexpr int width = 12;
};

__global__ void read(int* out) {
  constexpr int local[] = {100, 200};
  *out = number<int> + int(number<double>) + primes[2] + Traits::width + local[1];
}

int main() {
  DeviceArray<int> out(1);
  read<<<1, 1>>>(out);
  CHECK(out.read()[0] == 6 + 6 + 5 + 12 + 200);
  return verdict();
}
