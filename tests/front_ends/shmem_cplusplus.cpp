// The OpenSHMEM names in C++, together with std::complex.
#include <shmem.h>

#include "check.h"

static std::complex<double> in, out;
static int word;

int main() {
  shmem_init();
  int me = shmem_my_pe(), size = shmem_n_pes();
  in = {1.0 * me, -1.0};
  CHECK(shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, &out, &in, 1) == 0);
  CHECK(out == std::complex<double>(size * (size - 1) / 2.0, -1.0 * size));
  shmem_int_p(&word, me, (me + 1) % size);
  shmem_barrier_all();
  CHECK(word == (me + size - 1) % size);
  shmem_sync(SHMEM_TEAM_WORLD);
  shmem_sync(0, 0, size, nullptr);
  shmem_finalize();
  if (me == 0) puts("ok");
}
