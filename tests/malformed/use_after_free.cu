// expect: exit=1 message="freed"
// pes: 2
// A put into an object that both PEs have freed. The message says where it was freed.
#include "malformed.hpp"

__global__ void send(int* dest, int to) { nvshmem_int_p(dest, 1, to); }

int main() {
  start();
  int* dest = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  nvshmem_free(dest);
  send<<<1, 1>>>(dest, 1 - nvshmem_my_pe());
  return finish();
}
