/* OpenSHMEM collectives of teams and of active sets, for every type, against a serial reference; in and out of place.
 */
#include <complex.h>
#include <shmem.h>
#include <string.h>

#include "check.h"
#include "shmem_types.h"

enum { kCount = 3, kMostPes = 64 };
static int me, size;
static long sync_array[SHMEM_REDUCE_SYNC_SIZE];

#define VALUE(TYPE, p, i) ((TYPE)((p) % 3 + (i) + 1))

#define TEST(NAME, TYPE)                                                                                \
  static TYPE NAME##_in[kCount * kMostPes], NAME##_out[2 * kCount * kMostPes];                          \
  static void test_##NAME(shmem_team_t team, int mine, int members, int stride) {                       \
    for (int root = 0; root < members; ++root) {                                                        \
      for (int i = 0; i < kCount; ++i) NAME##_in[i] = VALUE(TYPE, me, i), NAME##_out[i] = 0;            \
      shmem_team_sync(team);                                                                            \
      CHECK(shmem_##NAME##_broadcast(team, NAME##_out, NAME##_in, kCount, root) == 0);                  \
      for (int i = 0; i < kCount; ++i) CHECK(NAME##_out[i] == VALUE(TYPE, root * stride, i));           \
      shmem_team_sync(team);                                                                            \
    }                                                                                                   \
    CHECK(shmem_##NAME##_fcollect(team, NAME##_out, NAME##_in, kCount) == 0);                           \
    for (int p = 0; p < members; ++p)                                                                   \
      for (int i = 0; i < kCount; ++i) CHECK(NAME##_out[p * kCount + i] == VALUE(TYPE, p * stride, i)); \
    shmem_team_sync(team);                                                                              \
    CHECK(shmem_##NAME##_collect(team, NAME##_out, NAME##_in, (size_t)(mine % 2 + 1)) == 0);            \
    for (int p = 0, at = 0; p < members; ++p)                                                           \
      for (int i = 0; i < p % 2 + 1; ++i) CHECK(NAME##_out[at++] == VALUE(TYPE, p * stride, i));        \
    for (int i = 0; i < kCount * members; ++i) NAME##_in[i] = VALUE(TYPE, me, i);                       \
    shmem_team_sync(team);                                                                              \
    CHECK(shmem_##NAME##_alltoall(team, NAME##_out, NAME##_in, kCount) == 0);                           \
    for (int p = 0; p < members; ++p)                                                                   \
      for (int i = 0; i < kCount; ++i)                                                                  \
        CHECK(NAME##_out[p * kCount + i] == VALUE(TYPE, p * stride, mine * kCount + i));                \
    shmem_team_sync(team);                                                                              \
    CHECK(shmem_##NAME##_alltoalls(team, NAME##_out, NAME##_in, 2, 1, kCount) == 0);                    \
    for (int p = 0; p < members; ++p)                                                                   \
      for (int i = 0; i < kCount; ++i)                                                                  \
        CHECK(NAME##_out[2 * (p * kCount + i)] == VALUE(TYPE, p * stride, mine * kCount + i));          \
    shmem_team_sync(team);                                                                              \
  }
RMA_TYPES(TEST)

#define REDUCE(NAME, TYPE, WORD, COMBINE)                                          \
  static TYPE NAME##_##WORD##_a[kCount], NAME##_##WORD##_b[kCount];                \
  static void reduce_##NAME##_##WORD(shmem_team_t team, int members, int stride) { \
    TYPE *a = NAME##_##WORD##_a, *b = NAME##_##WORD##_b;                           \
    for (int i = 0; i < kCount; ++i) a[i] = VALUE(TYPE, me, i);                    \
    CHECK(shmem_##NAME##_##WORD##_reduce(team, b, a, kCount) == 0);                \
    CHECK(shmem_##NAME##_##WORD##_reduce(team, a, a, kCount) == 0);                \
    for (int i = 0; i < kCount; ++i) {                                             \
      TYPE x = VALUE(TYPE, 0, i);                                                  \
      for (int p = 1; p < members; ++p) {                                          \
        TYPE y = VALUE(TYPE, p * stride, i);                                       \
        x = (TYPE)(COMBINE);                                                       \
      }                                                                            \
      CHECK(a[i] == x && b[i] == x);                                               \
    }                                                                              \
  }
#define SUM_PROD(NAME, TYPE) REDUCE(NAME, TYPE, sum, x + y) REDUCE(NAME, TYPE, prod, x* y)
#define MIN_MAX(NAME, TYPE) REDUCE(NAME, TYPE, min, x < y ? x : y) REDUCE(NAME, TYPE, max, x > y ? x : y)
#define BITS(NAME, TYPE) REDUCE(NAME, TYPE, and, x& y) REDUCE(NAME, TYPE, or, x | y) REDUCE(NAME, TYPE, xor, x ^ y)
RMA_TYPES(SUM_PROD)
RMA_TYPES(MIN_MAX)
BITWISE_TYPES(BITS)
SUM_PROD(complexf, float complex)
SUM_PROD(complexd, double complex)

static void all_types(shmem_team_t team, int stride) {
  int mine = shmem_team_my_pe(team), members = shmem_team_n_pes(team);
#define RUN(NAME, TYPE) test_##NAME(team, mine, members, stride);
  RMA_TYPES(RUN)
#define RUN_ARITHMETIC(NAME, TYPE)                                                         \
  reduce_##NAME##_sum(team, members, stride), reduce_##NAME##_prod(team, members, stride); \
  reduce_##NAME##_min(team, members, stride), reduce_##NAME##_max(team, members, stride);
  RMA_TYPES(RUN_ARITHMETIC)
#define RUN_BITS(NAME, TYPE)                                                             \
  reduce_##NAME##_and(team, members, stride), reduce_##NAME##_or(team, members, stride); \
  reduce_##NAME##_xor(team, members, stride);
  BITWISE_TYPES(RUN_BITS)
  reduce_complexf_sum(team, members, stride), reduce_complexf_prod(team, members, stride);
  reduce_complexd_sum(team, members, stride), reduce_complexd_prod(team, members, stride);
}

/* the deprecated forms, on every other PE */
static void active_set(void) {
  int members = (size + 1) / 2;
  static int in[kCount], out[kCount * kMostPes], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
  for (int i = 0; i < kCount; ++i) in[i] = me + i, out[i] = -1;
  shmem_barrier(0, 1, members, sync_array);
  shmem_broadcast32(out, in, kCount, members - 1, 0, 1, members, sync_array);
  for (int i = 0; i < kCount; ++i) CHECK(out[i] == (me == 2 * (members - 1) ? -1 : 2 * (members - 1) + i));
  shmem_sync(0, 1, members, sync_array);
  shmem_fcollect32(out, in, kCount, 0, 1, members, sync_array);
  for (int p = 0; p < members; ++p) CHECK(out[p * kCount] == 2 * p);
  shmem_barrier(0, 1, members, sync_array);
  shmem_int_sum_to_all(out, in, 1, 0, 1, members, work, sync_array);
  CHECK(out[0] == members * (members - 1));
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  size = shmem_n_pes();
  all_types(SHMEM_TEAM_WORLD, 1);
  shmem_team_t half = SHMEM_TEAM_INVALID;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (size + 1) / 2, NULL, 0, &half) == 0);
  CHECK((half == SHMEM_TEAM_INVALID) == (me % 2 != 0));
  if (me % 2 == 0) {
    all_types(half, 2);
    active_set();
    shmem_team_destroy(half);
  }
  CHECK(shmem_int_sum_reduce(SHMEM_TEAM_INVALID, NULL, NULL, 0) != 0);
  shmem_finalize();
  if (me == 0) puts("ok");
  return 0;
}
