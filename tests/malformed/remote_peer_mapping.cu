// expect: exit=1 message="pass your own symmetric address"
// pes: 2
// The remote side is what nvshmem_ptr gave: already the peer's copy, so the library would translate it twice. (Loads
// and stores through it would be right.) The message says whose copy it is and to pass the own address instead.
#include "malformed.hpp"

__global__ void send(int* data, int to) {
  int* there = static_cast<int*>(nvshmem_ptr(data, to));
  if (there != nullptr) nvshmem_int_p(there, 1, to);
}

int main() {
  start();
  int* data = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  send<<<1, 1>>>(data, 1 - nvshmem_my_pe());
  return finish();
}
