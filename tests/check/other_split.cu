// rule: coll.mismatch
// ends: 1
#include "pair.hpp"

int main(int argc, char** argv) {
  Pair p(argc, argv);
  nvshmem_team_t half;
  int size = p.repaired || p.me ? p.n / 2 : p.n;
  nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, size, nullptr, 0, &half);  // FIRST SECOND
  if (half != NVSHMEM_TEAM_INVALID) nvshmem_team_destroy(half);
}
