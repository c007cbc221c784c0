// expect: exit=1 message="beyond"
// pes: 2
// 1000 ints are put into an object of 100. The message has the object's size and the bytes that do not fit.
#include "malformed.hpp"

__global__ void send(int* dest, const int* source, int to) { nvshmemx_int_put_block(dest, source, 1000, to); }

int main() {
  start();
  int* dest = static_cast<int*>(nvshmem_calloc(100, sizeof(int)));
  int* source = static_cast<int*>(nvshmem_calloc(1000, sizeof(int)));
  send<<<1, 64>>>(dest, source, 1 - nvshmem_my_pe());
  return finish();
}
