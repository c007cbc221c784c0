// rule: coll.mismatch
// ends: 1
#include "pair.hpp"

// Functions of their own: the compiler would make one call of both.
__device__ __noinline__ void spread(int* dest, int* source) {
  nvshmem_int_broadcast(NVSHMEM_TEAM_WORLD, dest, source, 4, 0);  // FIRST
}
__device__ __noinline__ void collect(int* dest, int* source) {
  nvshmem_int_fcollect(NVSHMEM_TEAM_WORLD, dest, source, 4);  // SECOND
}

__global__ void gather(int* dest, int* source, bool repaired) {
  if (nvshmem_my_pe() == 0 && !repaired)
    spread(dest, source);
  else
    collect(dest, source);
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *dest = p.zeroed<int>(4 * static_cast<size_t>(p.n)), *source = p.zeroed<int>(4);
  LAUNCH(gather, 1, &dest, &source, &p.repaired);
}
