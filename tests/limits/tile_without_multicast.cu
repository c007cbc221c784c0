// run: -n 2 -p hgx-h200 --pes-per-node 1
// refused by: 3.3.9, 3.5
#include "row.hpp"

__global__ void reduce(float* dest, float* source) {
  constexpr auto kPull = nvshmemx::NVLS_ONE_SHOT_PULL_NBI;
  nvshmemx::tile_sum_allreduce_block<Row, Row, Whole, kPull>(NVSHMEM_TEAM_WORLD, row(source), row(dest), {}, {}, 0);
  nvshmemx::tile_collective_wait_block<kPull>(NVSHMEM_TEAM_WORLD, 0);
}

int main() {
  const Pe pe = start(2);
  float *dest = symmetric<float>(8), *source = symmetric<float>(8);
  for (int i = 0; i < 8; ++i) source[i] = static_cast<float>(i + pe.me);
  nvshmem_barrier_all();
  together(reduce, 1, 32, dest, source);
  bool good = true;
  for (int i = 0; i < 8; ++i) good &= dest[i] == static_cast<float>(2 * i + 1);
  return finish("tile_without_multicast", good);
}
