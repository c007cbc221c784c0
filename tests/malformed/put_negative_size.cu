// expect: exit=1 message="the size may be a negative number"
// pes: 2
// A count of -4 ints becomes 2^64 - 16 bytes.
#include "malformed.hpp"

__global__ void send(int* dest, const int* source, int elements, int to) {
  nvshmem_int_put(dest, source, elements, to);
}

int main() {
  start();
  int* dest = static_cast<int*>(nvshmem_calloc(100, sizeof(int)));
  int* source = static_cast<int*>(nvshmem_calloc(100, sizeof(int)));
  send<<<1, 1>>>(dest, source, -4, 1 - nvshmem_my_pe());
  return finish();
}
