/* OpenSHMEM atomics, waits and tests for every type: all PEs work on PE 0's words, in static memory. */
#include <shmem.h>

#include "check.h"
#include "shmem_types.h"

static int me, size;

#define TEST(NAME, TYPE)                                                                                  \
  static TYPE NAME##_word, NAME##_seen[64];                                                               \
  static void test_##NAME(void) {                                                                         \
    NAME##_word = 0;                                                                                      \
    for (int i = 0; i < 64; ++i) NAME##_seen[i] = 0;                                                      \
    shmem_barrier_all();                                                                                  \
    shmem_##NAME##_atomic_add(&NAME##_word, 2, 0);                                                        \
    shmem_##NAME##_atomic_inc(&NAME##_word, 0);                                                           \
    shmem_barrier_all();                                                                                  \
    CHECK(shmem_##NAME##_atomic_fetch(&NAME##_word, 0) == (TYPE)(3 * size));                              \
    shmem_barrier_all();                                                                                  \
    if (me == 0) shmem_##NAME##_atomic_set(&NAME##_word, 0, 0);                                           \
    shmem_barrier_all();                                                                                  \
    TYPE ticket = shmem_##NAME##_atomic_fetch_inc(&NAME##_word, 0), other;                                \
    shmem_##NAME##_atomic_fetch_add_nbi(&other, &NAME##_word, 1, 0);                                      \
    shmem_quiet();                                                                                        \
    CHECK(ticket < other);                                                                                \
    shmem_##NAME##_p(&NAME##_seen[(int)ticket], 1, 0);                                                    \
    shmem_##NAME##_p(&NAME##_seen[(int)other], 1, 0);                                                     \
    shmem_barrier_all();                                                                                  \
    for (int i = 0; me == 0 && i < 2 * size; ++i) CHECK(NAME##_seen[i] == 1); /* each ticket once */      \
    shmem_barrier_all();                                                                                  \
    /* exactly one PE finds the number that it expects */                                                 \
    TYPE found = shmem_##NAME##_atomic_compare_swap(&NAME##_word, (TYPE)(2 * size), (TYPE)(100 + me), 0); \
    if (found == (TYPE)(2 * size)) shmem_##NAME##_atomic_swap(&NAME##_seen[63], (TYPE)(100 + me), 0);     \
    shmem_barrier_all();                                                                                  \
    CHECK(shmem_##NAME##_g(&NAME##_word, 0) == shmem_##NAME##_g(&NAME##_seen[63], 0));                    \
    shmem_barrier_all();                                                                                  \
  }
AMO_TYPES(TEST)

#define TEST_BITS(NAME, TYPE)                                                             \
  static TYPE NAME##_bits;                                                                \
  static void test_bits_##NAME(void) {                                                    \
    NAME##_bits = 0;                                                                      \
    shmem_barrier_all();                                                                  \
    TYPE mine = (TYPE)((TYPE)1 << me);                                                    \
    shmem_##NAME##_atomic_or(&NAME##_bits, mine, 0);                                      \
    shmem_barrier_all();                                                                  \
    CHECK(shmem_##NAME##_atomic_fetch(&NAME##_bits, 0) == (TYPE)(((TYPE)1 << size) - 1)); \
    shmem_barrier_all();                                                                  \
    CHECK(shmem_##NAME##_atomic_fetch_and(&NAME##_bits, (TYPE)~mine, 0) & mine);          \
    shmem_barrier_all();                                                                  \
    CHECK(shmem_##NAME##_g(&NAME##_bits, 0) == 0);                                        \
    shmem_barrier_all();                                                                  \
    shmem_##NAME##_atomic_xor(&NAME##_bits, mine, 0);                                     \
    shmem_quiet();                                                                        \
    CHECK(shmem_##NAME##_atomic_fetch_xor(&NAME##_bits, mine, 0) & mine);                 \
    shmem_barrier_all();                                                                  \
    CHECK(shmem_##NAME##_g(&NAME##_bits, 0) == 0);                                        \
    shmem_barrier_all();                                                                  \
  }
BITWISE_AMO_TYPES(TEST_BITS)

#define TEST_WAIT(NAME, TYPE)                                                                 \
  static TYPE NAME##_flags[4];                                                                \
  static void test_wait_##NAME(void) {                                                        \
    int right = (me + 1) % size, status[4] = {0, 0, 0, 1};                                    \
    size_t indices[4], any, some;                                                             \
    for (int i = 0; i < 4; ++i) NAME##_flags[i] = 0;                                          \
    shmem_barrier_all();                                                                      \
    CHECK(!shmem_##NAME##_test(&NAME##_flags[0], SHMEM_CMP_NE, 0));                           \
    CHECK(shmem_##NAME##_test_any(NAME##_flags, 3, NULL, SHMEM_CMP_NE, 0) == SIZE_MAX);       \
    shmem_barrier_all();                                                                      \
    shmem_##NAME##_p(&NAME##_flags[1], 5, right);                                             \
    shmem_##NAME##_wait_until(&NAME##_flags[1], SHMEM_CMP_EQ, 5);                             \
    any = shmem_##NAME##_wait_until_any(NAME##_flags, 4, status, SHMEM_CMP_GT, 2);            \
    CHECK(any == 1);                                                                          \
    shmem_barrier_all();                                                                      \
    shmem_##NAME##_p(&NAME##_flags[0], 6, right);                                             \
    shmem_##NAME##_p(&NAME##_flags[2], 7, right);                                             \
    shmem_##NAME##_wait_until_all(NAME##_flags, 4, status, SHMEM_CMP_GE, 5);                  \
    some = shmem_##NAME##_wait_until_some(NAME##_flags, 4, indices, status, SHMEM_CMP_GE, 6); \
    CHECK(some == 2 && indices[0] == 0 && indices[1] == 2);                                   \
    TYPE wanted[4] = {6, 5, 7, 0};                                                            \
    shmem_##NAME##_wait_until_all_vector(NAME##_flags, 4, NULL, SHMEM_CMP_EQ, wanted);        \
    CHECK(shmem_##NAME##_test_all(NAME##_flags, 3, NULL, SHMEM_CMP_LT, 8));                   \
    CHECK(shmem_##NAME##_test_some(NAME##_flags, 4, indices, NULL, SHMEM_CMP_LE, 5) == 2);    \
    shmem_barrier_all();                                                                      \
  }
WAIT_TYPES(TEST_WAIT)

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  size = shmem_n_pes();
#define RUN(NAME, TYPE) test_##NAME();
  AMO_TYPES(RUN)
#define RUN_BITS(NAME, TYPE) test_bits_##NAME();
  BITWISE_AMO_TYPES(RUN_BITS)
#define RUN_WAIT(NAME, TYPE) test_wait_##NAME();
  WAIT_TYPES(RUN_WAIT)
  static double real;
  shmem_double_atomic_set(&real, 2.5, me);
  shmem_quiet();
  CHECK(shmem_double_atomic_swap(&real, -1.25, me) == 2.5 && shmem_double_atomic_fetch(&real, me) == -1.25);
  shmem_finalize();
  if (me == 0) puts("ok");
  return 0;
}
