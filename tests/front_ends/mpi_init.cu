// nvshmemx_init_attr with a communicator: PE numbers are its ranks, also when it has another order or only some of the
// PEs. "half": two jobs side by side; "reversed": one in the other order.
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstring>

#include "check.h"

__global__ void tell_right(int* target, int value) {
  nvshmem_int_p(target, value, (nvshmem_my_pe() + 1) % nvshmem_n_pes());
}

int main(int argc, char** argv) {
  bool half = argc > 1 && !std::strcmp(argv[1], "half"), reversed = argc > 1 && !std::strcmp(argv[1], "reversed");
  MPI_Init(&argc, &argv);
  int rank, size, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm = MPI_COMM_WORLD;
  if (half) MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
  if (reversed) MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  int expected;
  MPI_Comm_rank(comm, &expected);
  MPI_Comm_size(comm, &ranks);
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  attributes.mpi_comm = &comm;
  CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attributes) == 0);
  CHECK(nvshmemx_init_status() >= NVSHMEM_STATUS_IS_INITIALIZED);
  CHECK(nvshmem_my_pe() == expected && nvshmem_n_pes() == ranks);
  CHECK(nvshmem_team_my_pe(NVSHMEM_TEAM_WORLD) == expected && nvshmem_team_n_pes(NVSHMEM_TEAM_WORLD) == ranks);
  cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE));
  int* target = static_cast<int*>(nvshmem_calloc(2 * static_cast<size_t>(ranks), sizeof(int)));
  int left = (expected + ranks - 1) % ranks;
  tell_right<<<1, 1>>>(target, 100 + expected);
  nvshmemx_barrier_all_on_stream(0);
  int got = -1;
  cudaMemcpy(&got, target, sizeof got, cudaMemcpyDeviceToHost);
  CHECK(got == 100 + left);
  // a collective counts in the job's numbers
  cudaMemcpy(target, &expected, sizeof expected, cudaMemcpyHostToDevice);
  int* all = static_cast<int*>(nvshmem_malloc(static_cast<size_t>(ranks) * sizeof(int)));
  nvshmem_int_fcollect(NVSHMEM_TEAM_WORLD, all, target, 1);
  for (int i = 0; i < ranks; ++i) {
    cudaMemcpy(&got, all + i, sizeof got, cudaMemcpyDeviceToHost);
    CHECK(got == i);
  }
  nvshmem_free(all);
  nvshmem_free(target);
  nvshmem_finalize();
  MPI_Finalize();
  if (rank == 0) puts("ok");
}
