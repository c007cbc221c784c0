// A split of a split counts in the parent: of {0,2,4}, start 0 and stride 2 is {0,4}. Bad requests come back from every
// caller with the invalid handle. Needs 6 PEs. (Sandia-OpenSHMEM/SOS 969 and 1151, openshmem-org/specification 320,
// 557.)
//
//   team_of_team [outsider | later]   outsiders ask for the split as well, by the number that members have; or the
//                                     handle of a bad request is used
#include "../programs/program.hpp"

int main(int argc, char** argv) {
  const Pe pe = start(6);
  auto is = [&](const char* word) { return argc > 1 && strcmp(argv[1], word) == 0; };
  nvshmem_team_t even = 5, outer = 5, bad = 5;
  bool good = nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, 3, nullptr, 0, &even) == 0;
  good &= (even != NVSHMEM_TEAM_INVALID) == (pe.me % 2 == 0);
  constexpr nvshmem_team_t kFirst = 6;  // the first handle that a program gets
  if (even != NVSHMEM_TEAM_INVALID) {
    good &= even == kFirst && nvshmem_team_split_strided(even, 0, 2, 2, nullptr, 0, &outer) == 0;
    good &= (outer != NVSHMEM_TEAM_INVALID) == (pe.me % 4 == 0);
    if (outer != NVSHMEM_TEAM_INVALID)
      good &= nvshmem_team_n_pes(outer) == 2 && nvshmem_team_my_pe(outer) == pe.me / 4 &&
              nvshmem_team_translate_pe(outer, 1, NVSHMEM_TEAM_WORLD) == 4;
  } else if (is("outsider")) {
    good &= nvshmem_team_split_strided(kFirst, 0, 2, 2, nullptr, 0, &bad) != 0 && bad == NVSHMEM_TEAM_INVALID;
  }
  int requests[][3] = {{0, 1, 0}, {0, 0, 2}, {5, -1, 3}, {4, 1, 3}};  // size 0, stride 0, stride -1, too long
  for (auto& [first, stride, size] : requests) {
    bad = 5;
    good &= nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, first, stride, size, nullptr, 0, &bad) != 0;
    good &= bad == NVSHMEM_TEAM_INVALID;
  }
  int* words = symmetric<int>(2);
  if (is("later")) good &= nvshmem_int_sum_reduce(bad, words, words + 1, 1) != 0;
  return finish("team_of_team", good);
}
