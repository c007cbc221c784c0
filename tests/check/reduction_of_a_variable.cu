// rule: sym.not-symmetric
#include "pair.hpp"

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int own[2] = {p.me, 0};
  int* words = p.zeroed<int>(2);
  int* pair = p.repaired ? words : own;
  nvshmem_int_sum_reduce(NVSHMEM_TEAM_WORLD, pair + 1, pair, 1);  // FIRST SECOND
}
