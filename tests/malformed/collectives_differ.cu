// expect: exit=1 message="alltoall"
// pes: 2
// On one team PE 0 calls a broadcast and PE 1 an alltoall. The message names both calls.
#include "malformed.hpp"

__global__ void call(int* dest, const int* source) {
  if (nvshmem_my_pe() == 0)
    nvshmem_int_broadcast(NVSHMEM_TEAM_WORLD, dest, source, 4, 0);
  else
    nvshmem_int_alltoall(NVSHMEM_TEAM_WORLD, dest, source, 4);
}

int main() {
  start();
  int* words = static_cast<int*>(nvshmem_calloc(64, sizeof(int)));
  call<<<1, 1>>>(words, words + 32);
  return finish();
}
