// expect: exit=1 message="not symmetric"
// pes: 2
// The remote side of a put is a number, not an address of anything.
#include "malformed.hpp"

__global__ void send(int* dest, int to) { nvshmem_int_p(dest, 1, to); }

int main() {
  start();
  send<<<1, 1>>>(reinterpret_cast<int*>(0x123456789000), 1 - nvshmem_my_pe());
  return finish();
}
