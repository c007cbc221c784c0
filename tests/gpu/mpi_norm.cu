// What solvers do with MPI beside NVSHMEM: a communicator per node, a norm, a clock that is virtual time.
#include <mpi.h>

#include "check.hpp"

__global__ void work(float* out) {
  float x = *out;
  for (int i = 0; i < 100000; ++i) x = x * 0.999f + 1.0f;
  *out = x;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = start(), n = nvshmem_n_pes(), ranks = 0;
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  if (ranks != nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE)) return std::printf("PE %d: %d ranks\n", me, ranks), 1;
  float mine = static_cast<float>(me), sum = 0;
  int most = me, all = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&most, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (sum != static_cast<float>(n * (n - 1) / 2) || all != n - 1) return std::printf("PE %d: %g %d\n", me, sum, all), 1;
  float* data;
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&data), sizeof(float)));
  MPI_Barrier(MPI_COMM_WORLD);
  double from = MPI_Wtime();
  work<<<1, 1>>>(data);
  CHECK_CUDA(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  double us = (MPI_Wtime() - from) * 1e6;
  if (us <= 0) return std::printf("PE %d: the clock moved by %g us\n", me, us), 1;
  if (me == 0) std::printf("mpi_norm ok: %.3f us\n", us);
  nvshmem_finalize();
  MPI_Finalize();
  return 0;
}
