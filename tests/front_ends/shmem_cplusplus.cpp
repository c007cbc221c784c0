// The OpenSHMEM names in C++: typed with std::complex, and without a type, which C++ chooses by the arguments.
#include <shmem.h>

#include "check.h"

static std::complex<double> in, out;
static int word;

static double block[4], around[4], sums[2], parts[2];
static unsigned long counter;
static uint64_t signal;
static float one;

template <class T>
void check_generic(T* place, int me, int size) {
  *place = 0;
  shmem_barrier_all();
  shmem_p(place, static_cast<T>(me + 1), (me + 1) % size);
  shmem_barrier_all();
  CHECK(*place == static_cast<T>((me + size - 1) % size + 1));
  CHECK(shmem_g(place, me) == *place);
  CHECK(shmem_atomic_swap(SHMEM_CTX_DEFAULT, place, static_cast<T>(5), me) ==
        static_cast<T>((me + size - 1) % size + 1));
  CHECK(shmem_atomic_fetch(place, me) == static_cast<T>(5));
  shmem_barrier_all();
}

void check_generics(int me, int size) {
  int right = (me + 1) % size, left = (me + size - 1) % size;
  check_generic(&word, me, size);
  check_generic(&counter, me, size);
  check_generic(&one, me, size);
  for (int i = 0; i < 4; ++i) block[i] = 10 * me + i, around[i] = -1;
  counter = 0;
  shmem_barrier_all();
  shmem_put_signal(around, block, 4, &signal, 1, SHMEM_SIGNAL_SET, right);
  shmem_wait_until(&signal, SHMEM_CMP_EQ, 1);
  for (int i = 0; i < 4; ++i) CHECK(around[i] == 10 * left + i);
  shmem_get(SHMEM_CTX_DEFAULT, around, block, 2, right);
  shmem_iget(around + 2, block, 1, 2, 2, right);
  CHECK(around[1] == 10 * right + 1 && around[2] == 10 * right && around[3] == 10 * right + 2);
  shmem_atomic_add(&counter, 3, 0);
  shmem_atomic_or(SHMEM_CTX_DEFAULT, &counter, 0, 0);
  shmem_barrier_all();
  if (me == 0) CHECK(shmem_atomic_compare_swap(&counter, 3ul * size, 7ul, 0) == 3ul * size && counter == 7);
  parts[0] = me, parts[1] = 1;
  CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, sums, parts, 2) == 0);
  CHECK(sums[0] == size * (size - 1) / 2.0 && sums[1] == size);
  CHECK(shmem_broadcast(SHMEM_TEAM_WORLD, around, block, 4, size - 1) == 0 && around[3] == 10 * (size - 1) + 3);
  CHECK(shmem_test(&word, SHMEM_CMP_EQ, word) == 1);
}

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
  check_generics(me, size);
  shmem_finalize();
  if (me == 0) puts("ok");
}
