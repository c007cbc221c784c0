// expect: exit=1 message="do not fit the GPU at once"
// pes: 2
// More blocks than the GPU can hold at once: the launch fails and runs nothing; the query's answer would have fitted.
#include "malformed.hpp"

__global__ void meet() {
  if (threadIdx.x == 0) nvshmem_barrier_all();
}

int main() {
  start();
  int most = 0;
  void* args[] = {nullptr};
  nvshmemx_collective_launch_query_gridsize(reinterpret_cast<const void*>(meet), dim3(1024), args, 0, &most);
  const int status =
      nvshmemx_collective_launch(reinterpret_cast<const void*>(meet), dim3(most + 1), dim3(1024), args, 0, nullptr);
  if (status != 0) return fprintf(stderr, "collective launch refused: %d blocks fit\n", most), 1;
  return finish();
}
