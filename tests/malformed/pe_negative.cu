// expect: exit=1 message="PE -1"
// pes: 2
// Left neighbour without "+ n": PE 0 computes -1.
#include "malformed.hpp"

__global__ void send(int* dest) { nvshmem_int_p(dest, 1, nvshmem_my_pe() - 1); }

int main() {
  start();
  int* dest = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  send<<<1, 1>>>(dest);
  return finish();
}
