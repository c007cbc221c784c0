// expect: exit=1 message="team"
// pes: 2
// A collective on NVSHMEM_TEAM_INVALID, what a failed split gives. It must say so, not crash; the program ends with 1.
#include "malformed.hpp"

__global__ void reduce(nvshmem_team_t team, int* dest, const int* source, int* status) {
  *status = nvshmem_int_sum_reduce(team, dest, source, 1);
}

int main() {
  start();
  int* words = static_cast<int*>(nvshmem_calloc(3, sizeof(int)));
  reduce<<<1, 1>>>(NVSHMEM_TEAM_INVALID, words, words + 1, words + 2);
  int status = 0;
  CUDA_CHECK(cudaMemcpy(&status, words + 2, sizeof(int), cudaMemcpyDeviceToHost));
  if (status != 0) return fprintf(stderr, "PE %d: the team is invalid\n", nvshmem_my_pe()), 1;
  return finish();
}
