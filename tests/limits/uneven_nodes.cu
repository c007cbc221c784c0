// run: -n 5 -p hgx-h200 --pes-per-node 2
// refused by: 3.3.9, 3.5
#include "../programs/program.hpp"

int main() {
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe();
  int *sum = symmetric<int>(), *mine = symmetric<int>();
  *mine = me;
  nvshmem_barrier_all();
  nvshmem_int_sum_reduce(NVSHMEM_TEAM_WORLD, sum, mine, 1);
  bool good = value_of(sum) == 10 && nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE) == (me == 4 ? 1 : 2);
  return finish("uneven_nodes", good && nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) == me % 2);
}
