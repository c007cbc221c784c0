// Two teams with the same members work at the same time: reductions on WORLD in one block, synchronisations on NODE in
// the other. They must not disturb each other. Needs a single node.
#include "program.hpp"

constexpr int kReductions = 60, kSyncs = 300;

__global__ void both(int* sum, int* source, int* bad) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
  if (blockIdx.x == 0) {
    for (int i = 0; i < kReductions; ++i) {
      if (me == 0) __nanosleep(6000);  // the others wait for it
      *source = me + i;
      nvshmem_int_sum_reduce(NVSHMEM_TEAM_WORLD, sum, source, 1);
      if (*sum != n * (n - 1) / 2 + n * i) ++*bad;
    }
  } else {
    for (int i = 0; i < kSyncs; ++i) {
      if (me == n - 1) __nanosleep(1500);
      nvshmem_team_sync(NVSHMEMX_TEAM_NODE);
    }
  }
}

int main() {
  start();
  int *sum = symmetric<int>(), *source = symmetric<int>(), *bad = symmetric<int>();
  together(both, 2, 1, sum, source, bad);
  return finish("two_teams", value_of(bad) == 0);
}
