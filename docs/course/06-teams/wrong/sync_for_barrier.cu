// Wrong: after a sync all members have come so far, but their puts need not have arrived.
#include "course.hpp"

__global__ void send(int* inbox, int rank, int number, int leader) { nvshmem_int_p(inbox + rank, number, leader); }
__global__ void add(const int* inbox, int size, int* sum) {
  for (int i = 0; i < size; ++i) *sum += inbox[i];
}

int main() {
  Course c;
  nvshmem_team_t even, odd;  // both calls are collective over the parent: every PE makes both
  nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, (c.n + 1) / 2, nullptr, 0, &even);
  nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 1, 2, c.n / 2, nullptr, 0, &odd);
  const nvshmem_team_t team = c.me % 2 == 0 ? even : odd;
  const int rank = nvshmem_team_my_pe(team), size = nvshmem_team_n_pes(team);
  const int leader = nvshmem_team_translate_pe(team, 0, NVSHMEM_TEAM_WORLD);  // puts want numbers of the world

  int *inbox = c.symmetric<int>(c.n), *sum = c.local<int>(1);
  launch(send, 1, 1, inbox, rank, 10 * c.me + 1, leader);
  CUDA_CHECK(cudaDeviceSynchronize());
  nvshmem_team_sync(team);
  if (rank == 0) {
    add<<<1, 1>>>(inbox, size, sum);
    printf("PE %d: %d members, sum %d\n", c.me, size, value(sum));
  }
}
