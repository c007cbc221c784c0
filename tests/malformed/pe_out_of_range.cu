// expect: exit=1 message="PE 99"
// pes: 2
// A PE number that the run does not have.
#include "malformed.hpp"

__global__ void send(int* dest) { nvshmem_int_p(dest, 1, 99); }

int main() {
  start();
  int* dest = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  send<<<1, 1>>>(dest);
  return finish();
}
