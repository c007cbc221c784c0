// Makes teams of all PEs until there is no handle left, and says how many there were.
#include "program.hpp"

int main() {
  const Pe pe = start();
  int made = 0;
  for (nvshmem_team_t team = 0; team != NVSHMEM_TEAM_INVALID; ++made)
    if (nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, pe.n, nullptr, 0, &team) != 0) break;
  if (pe.me == 0) printf("%d teams\n", made);
  return finish("many_teams", true);
}
