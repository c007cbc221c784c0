// expect: exit=1 message="null"
// pes: 2
// The local source of a put is null.
#include "malformed.hpp"

__global__ void send(int* dest, int to) { nvshmem_int_put(dest, nullptr, 4, to); }

int main() {
  start();
  int* dest = static_cast<int*>(nvshmem_calloc(4, sizeof(int)));
  send<<<1, 1>>>(dest, 1 - nvshmem_my_pe());
  return finish();
}
