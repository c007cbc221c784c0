// nvshmemx_init_attr with a unique id that MPI carries; ranks are given in an order of their own.
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  if (rank == size / 2) CHECK(nvshmemx_get_uniqueid(&id) == 0);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, size / 2, MPI_COMM_WORLD);
  int mine = (rank + 1) % size;
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  CHECK(nvshmemx_set_attr_uniqueid_args(mine, size, &id, &attributes) == 0);
  CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) == 0);
  CHECK(nvshmem_my_pe() == mine && nvshmem_n_pes() == size);
  int* word = static_cast<int*>(nvshmem_malloc(sizeof(int)));
  nvshmem_int_p(word, mine, (mine + 1) % size);
  nvshmem_barrier_all();
  CHECK(nvshmem_int_g(word, mine) == (mine + size - 1) % size);
  nvshmem_free(word);
  nvshmem_finalize();
  MPI_Finalize();
  if (rank == 0) puts("ok");
}
