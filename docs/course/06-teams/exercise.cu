// Exercise: even and odd PEs form teams; the first PE of each team collects a number from every member.
#include "course.hpp"

__global__ void send(int* inbox, int rank, int number, int leader) { nvshmem_int_p(inbox + rank, number, leader); }
__global__ void add(const int* inbox, int size, int* sum) {
  for (int i = 0; i < size; ++i) *sum += inbox[i];
}

int main() {
  Course c;
  // TODO: make a team of the even PEs and one of the odd PEs; replace the next line by your team
  const nvshmem_team_t team = NVSHMEM_TEAM_WORLD;
  const int rank = nvshmem_team_my_pe(team), size = nvshmem_team_n_pes(team);
  const int leader = 0;  // TODO: the PE that is member 0 of the team

  int *inbox = c.symmetric<int>(c.n), *sum = c.local<int>(1);
  launch(send, 1, 1, inbox, rank, 10 * c.me + 1, leader);
  CUDA_CHECK(cudaDeviceSynchronize());
  // TODO: when may member 0 read its inbox? Only the members should have to wait for that.
  if (rank == 0) {
    add<<<1, 1>>>(inbox, size, sum);
    printf("PE %d: %d members, sum %d\n", c.me, size, value(sum));
  }
}
