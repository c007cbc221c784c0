// rule: team.invalid
// ends: 1
#include "pair.hpp"

int main(int argc, char** argv) {
  Pair p(argc, argv);
  nvshmem_team_t team;
  nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, p.n, nullptr, 0, &team);
  nvshmem_team_destroy(team);
  if (!p.repaired) nvshmem_team_destroy(team);  // FIRST SECOND
}
