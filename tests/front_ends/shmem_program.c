/* A course program of plain C: C11 generic names, static symmetric data, locks, contexts of teams, realloc, pointers.
 */
#include <shmem.h>
#include <string.h>

#include "check.h"

static long lock;
static int counter, ring[2];
static double mean;

int main(void) {
  int provided = -1;
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0 && provided == SHMEM_THREAD_SERIALIZED);
  int me = shmem_my_pe(), size = shmem_n_pes(), right = (me + 1) % size, left = (me + size - 1) % size;

  /* read, add one, write back: right only under the lock, which is taken in turn */
  for (int i = 0; i < 3; ++i) {
    shmem_set_lock(&lock);
    shmem_p(&counter, shmem_g(&counter, 0) + 1, 0);
    shmem_clear_lock(&lock);
  }
  while (shmem_test_lock(&lock)) continue;
  shmem_p(&counter, shmem_g(&counter, 0) + 1, 0);
  shmem_clear_lock(&lock);
  shmem_barrier_all();
  CHECK(shmem_g(&counter, 0) == 4 * size);

  shmem_put(&ring[0], &me, 1, right);
  shmem_put(SHMEM_CTX_DEFAULT, &ring[1], &me, 1, left);
  shmem_barrier_all();
  CHECK(ring[0] == left && ring[1] == right);
  static long total;
  shmem_atomic_add(&total, (long)me, 0);
  shmem_barrier_all();
  CHECK(shmem_atomic_fetch(&total, 0) == (long)size * (size - 1) / 2);
  static double mine;
  mine = me;
  CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, &mean, &mine, 1) == 0);
  CHECK(mean == size * (size - 1) / 2.0);
  shmem_sync(SHMEM_TEAM_WORLD);

  /* a context counts PEs in its team */
  shmem_team_t upper = SHMEM_TEAM_INVALID;
  int first = size / 2;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, first, 1, size - first, NULL, 0, &upper);
  if (me >= first) {
    shmem_ctx_t ctx;
    shmem_team_t same;
    CHECK(shmem_team_create_ctx(upper, SHMEM_CTX_SERIALIZED, &ctx) == 0);
    CHECK(shmem_ctx_get_team(ctx, &same) == 0 && same == upper);
    shmem_p(ctx, &ring[0], me, 0);
    shmem_ctx_quiet(ctx);
    shmem_team_sync(upper);
    if (me == first) CHECK(ring[0] >= first);
    CHECK(shmem_team_translate_pe(upper, 0, SHMEM_TEAM_WORLD) == first);
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(upper);
  }
  shmem_barrier_all();

  char* text = shmem_calloc(16, 1);
  CHECK(text[15] == 0);
  strcpy(text, "kept");
  text = shmem_realloc(text, 4096);
  CHECK(!strcmp(text, "kept"));
  CHECK(shmem_addr_accessible(text, right) && shmem_addr_accessible(&counter, right) &&
        !shmem_addr_accessible(&me, right));
  CHECK(shmem_pe_accessible(right) && !shmem_pe_accessible(size));
  int* theirs = shmem_ptr(&counter, 0);
  CHECK(theirs == NULL || *theirs == 4 * size);
  CHECK(shmem_ptr(&me, right) == NULL);
  long* aligned = shmem_align(4096, 64);
  CHECK((size_t)aligned % 4096 == 0);
  shmem_free(aligned);
  shmem_free(text);
  int major = 0, minor = 0;
  char name[SHMEM_MAX_NAME_LEN];
  shmem_info_get_version(&major, &minor);
  shmem_info_get_name(name);
  CHECK(major == 1 && minor == 5 && !strcmp(name, SHMEM_VENDOR_STRING));
  shmem_finalize();
  if (me == 0) puts("ok");
  return 0;
}
