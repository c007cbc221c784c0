// Starts NVSHMEM by a unique id that MPI hands round, or by MPI's communicator.  usage: start [id | comm]
#include <mpi.h>

#include <cstring>

#include "check.hpp"

int main(int argc, char** argv) {
  bool by_comm = argc > 1 && !std::strcmp(argv[1], "comm");
  int rank = -1, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  if (by_comm) {
    MPI_Comm world = MPI_COMM_WORLD;
    attributes.mpi_comm = &world;
    nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attributes);
  } else {
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    if (rank == 0) nvshmemx_get_uniqueid(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    nvshmemx_set_attr_uniqueid_args(rank, ranks, &id, &attributes);
    nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes);
  }
  if (nvshmem_my_pe() != rank || nvshmem_n_pes() != ranks) return 1;
  int sum = 0;
  auto* mine = static_cast<int*>(nvshmem_malloc(2 * sizeof(int)));
  CHECK_CUDA(cudaMemcpy(mine, &rank, sizeof rank, cudaMemcpyHostToDevice));
  nvshmemx_int_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, mine + 1, mine, 1, nullptr);
  CHECK_CUDA(cudaMemcpy(&sum, mine + 1, sizeof sum, cudaMemcpyDeviceToHost));
  if (sum != ranks * (ranks - 1) / 2) return 1;
  if (rank == 0) std::printf("start ok: %d PEs\n", ranks);
  nvshmem_free(mine);
  nvshmem_finalize();
  MPI_Finalize();
  return 0;
}
