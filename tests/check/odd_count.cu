// rule: perf.algo-switch
// level: note
#include "pair.hpp"

// An odd number of elements cannot be packed with flags: another algorithm gathers them. Right: one element more.
__global__ void gather(int* dest, int* source, int more) {
  for (int i = 0; i < 2; ++i) nvshmemx_int_fcollect_block(NVSHMEM_TEAM_WORLD, dest, source, 64);  // FIRST
  for (int i = 0; i < 2; ++i) nvshmemx_int_fcollect_block(NVSHMEM_TEAM_WORLD, dest, source, 64 + static_cast<size_t>(more));  // SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *dest = p.zeroed<int>(66 * static_cast<size_t>(p.n)), *source = p.zeroed<int>(66);
  int more = p.repaired ? 2 : 1;
  LAUNCH(gather, 128, &dest, &source, &more);
}
