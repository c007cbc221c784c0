// run: -n 2 -p hgx-h200 --pes-per-node 1
// refused by: 3.3.9, 3.5
#include "../programs/program.hpp"

constexpr int kN = 40000;  // × 2 PEs × 4 B: more than 256 KiB

int main() {
  const Pe pe = start(2);
  int *dest = symmetric<int>(kN), *source = symmetric<int>(2 * kN);
  for (int i = 0; i < 2 * kN; ++i) source[i] = i + pe.me;
  nvshmem_barrier_all();
  nvshmem_int_sum_reducescatter(NVSHMEM_TEAM_WORLD, dest, source, kN);
  bool good = true;
  for (int i = 0; i < kN; ++i) good &= dest[i] == 2 * (pe.me * kN + i) + 1;
  return finish("large_reducescatter", good);
}
