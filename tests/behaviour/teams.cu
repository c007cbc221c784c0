// Teams: splits of splits count in the parent, bad requests give the invalid handle, teams of arbitrary PEs from a
// unique id, handles are used again after a destroy, and every team can synchronise.
#include "check.hpp"

void use(nvshmem_team_t team) { CHECK(nvshmem_team_sync(team) == 0 && nvshmem_barrier(team) == 0); }

int main() {
  nvshmem_init();
  CUDA(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  int me = nvshmem_my_pe(), n = nvshmem_n_pes();

  // world → every other PE → every other one of those: counted in the parent
  nvshmem_team_t even, fourth, bad = 5;
  int evens = (n + 1) / 2, fourths = (evens + 1) / 2;
  CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, evens, nullptr, 0, &even) == 0);
  CHECK((even != NVSHMEM_TEAM_INVALID) == (me % 2 == 0));
  if (even != NVSHMEM_TEAM_INVALID) {
    CHECK(nvshmem_team_n_pes(even) == evens && nvshmem_team_my_pe(even) == me / 2);
    CHECK(nvshmem_team_split_strided(even, 0, 2, fourths, nullptr, 0, &fourth) == 0);
    if (me % 4 == 0) {
      CHECK(nvshmem_team_n_pes(fourth) == fourths && nvshmem_team_my_pe(fourth) == me / 4);
      CHECK(nvshmem_team_translate_pe(fourth, fourths - 1, NVSHMEM_TEAM_WORLD) == 4 * (fourths - 1));
      CHECK(nvshmem_team_translate_pe(NVSHMEM_TEAM_WORLD, me, fourth) == me / 4);
      if (n > 1) CHECK(nvshmem_team_translate_pe(NVSHMEM_TEAM_WORLD, 1, fourth) == -1);
      use(fourth);
      nvshmem_team_destroy(fourth);
    }
    use(even);
    nvshmem_team_config_t config;
    nvshmem_team_get_config(even, &config);
    nvshmem_team_destroy(even);
  }

  // what cannot be: on every caller, without waiting for anybody
  int requests[][3] = {{0, 1, 0}, {0, 0, 1}, {0, -1, 1}, {0, 1, n + 1}, {n, 1, 1}, {-1, 1, 1}};
  for (auto& [start, stride, size] : requests) {
    bad = 5;
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, start, stride, size, nullptr, 0, &bad) != 0);
    CHECK(bad == NVSHMEM_TEAM_INVALID);
  }
  CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_INVALID, 0, 1, 1, nullptr, 0, &bad) != 0);
  CHECK(nvshmem_team_n_pes(NVSHMEM_TEAM_INVALID) == -1 && nvshmem_team_my_pe(NVSHMEM_TEAM_INVALID) == -1);
  CHECK(nvshmem_team_sync(NVSHMEM_TEAM_INVALID) != 0 && nvshmem_barrier(NVSHMEM_TEAM_INVALID) != 0);

  // rows of three, and columns
  nvshmem_team_t row, column;
  CHECK(nvshmem_team_split_2d(NVSHMEM_TEAM_WORLD, 3, nullptr, 0, &row, nullptr, 0, &column) == 0);
  CHECK(nvshmem_team_my_pe(row) == me % 3 && nvshmem_team_my_pe(column) == me / 3);
  CHECK(nvshmem_team_translate_pe(column, 0, NVSHMEM_TEAM_WORLD) == me % 3);
  use(row), use(column);
  nvshmem_team_destroy(row), nvshmem_team_destroy(column);

  // arbitrary PEs in an order of their own: all but PE 1, backwards
  auto* id = static_cast<nvshmemx_team_uniqueid_t*>(nvshmem_malloc(sizeof(nvshmemx_team_uniqueid_t)));
  int members = n > 1 ? n - 1 : 1, index = me == 0 ? members - 1 : n - 1 - me;
  if (me == 0) {
    nvshmemx_team_uniqueid_t made;
    CHECK(nvshmemx_team_get_uniqueid(&made) == 0);
    CUDA(cudaMemcpy(id, &made, sizeof made, cudaMemcpyHostToDevice));
  }
  nvshmem_barrier_all();
  nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
  config.uniqueid = nvshmem_uint64_g(id, 0);
  nvshmem_team_t some = NVSHMEM_TEAM_INVALID;
  if (me != 1) {
    CHECK(nvshmemx_team_init(&some, &config, NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID, members, index) == 0);
    CHECK(nvshmem_team_my_pe(some) == index && nvshmem_team_n_pes(some) == members);
    CHECK(nvshmem_team_translate_pe(some, members - 1, NVSHMEM_TEAM_WORLD) == 0);
    use(some);
    nvshmem_team_destroy(some);
  }
  CHECK(nvshmemx_team_init(&bad, &config, 0, members, index) != 0 && bad == NVSHMEM_TEAM_INVALID);
  nvshmem_barrier_all();

  // handles come back
  for (int i = 0; i < 200; ++i) {
    nvshmem_team_t all;
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n, nullptr, 0, &all) == 0);
    CHECK(all != NVSHMEM_TEAM_INVALID);
    nvshmem_team_destroy(all);
  }
  nvshmem_free(id);
  if (me == 0) std::puts("ok");
  nvshmem_finalize();
}
