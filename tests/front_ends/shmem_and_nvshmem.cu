// Both libraries in one program: OpenSHMEM starts, NVSHMEM joins; heap memory of one is symmetric for the other.
#include <nvshmem.h>
#include <nvshmemx.h>
#include <shmem.h>

#include "check.h"

__global__ void tell_right(long* target) {
  nvshmem_long_p(target, nvshmem_my_pe(), (nvshmem_my_pe() + 1) % nvshmem_n_pes());
}

int main() {
  shmem_init();
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_SHMEM, &attributes) == 0);
  int me = nvshmem_my_pe(), size = nvshmem_n_pes();
  CHECK(me == shmem_my_pe() && size == shmem_n_pes());
  cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE));
  auto* word = static_cast<long*>(shmem_malloc(sizeof(long)));
  tell_right<<<1, 1>>>(word);
  nvshmemx_barrier_all_on_stream(0);
  cudaDeviceSynchronize();
  CHECK(shmem_long_g(word, me) == (me + size - 1) % size);
  shmem_free(word);
  nvshmem_finalize();
  shmem_finalize();
  if (me == 0) puts("ok");
}
