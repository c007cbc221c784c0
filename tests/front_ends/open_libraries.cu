// A program that opens MPI, OpenSHMEM and NVML while it runs finds ours, by the names that Open MPI gives to its
// objects.
#include <dlfcn.h>
#include <mpi.h>

#include "check.h"

template <class F>
F* look_up(void* library, const char* name) {
  auto* f = reinterpret_cast<F*>(dlsym(library, name));
  if (!f) printf("%s not found\n", name);
  CHECK(f != nullptr);
  return f;
}

int main(int argc, char** argv) {
  void* mpi = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL | RTLD_DEEPBIND);
  void* shmem = dlopen("liboshmem.so.40", RTLD_NOW);
  void* nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  CHECK(mpi && shmem && nvml);
  look_up<int(int*, char***)>(mpi, "MPI_Init")(&argc, &argv);
  auto world = static_cast<MPI_Comm>(dlsym(mpi, "ompi_mpi_comm_world"));
  auto bytes = static_cast<MPI_Datatype>(dlsym(mpi, "ompi_mpi_uint8_t"));
  CHECK(world == MPI_COMM_WORLD && bytes == MPI_UINT8_T);
  int rank = -1;
  look_up<int(MPI_Comm, int*)>(mpi, "MPI_Comm_rank")(world, &rank);
  unsigned char word = rank == 0 ? 77 : 0;
  look_up<int(void*, int, MPI_Datatype, int, MPI_Comm)>(mpi, "MPI_Bcast")(&word, 1, bytes, 0, world);
  CHECK(word == 77);
  look_up<void()>(shmem, "shmem_init")();
  CHECK(look_up<int()>(shmem, "shmem_my_pe")() == rank);
  look_up<void()>(shmem, "shmem_barrier_all")();
  look_up<void()>(shmem, "shmem_finalize")();
  look_up<int()>(nvml, "nvmlInit_v2")();
  look_up<int()>(mpi, "MPI_Finalize")();
  CHECK(dlclose(mpi) == 0);
  if (rank == 0) puts("ok");
}
