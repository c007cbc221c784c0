/* OpenSHMEM put, get, p, g, strided, non-blocking and signalled forms for every type and size, with and without a
 * context, on static and on heap memory. */
#include <shmem.h>
#include <string.h>

#include "check.h"
#include "shmem_types.h"

enum { kCount = 6, kForms = 7 };
static uint64_t signal_word;
static int me, size, right, left;

static void wait_for_all(void) { shmem_barrier_all(); }

/* what PE p sends as element i */
#define VALUE(TYPE, p, i) ((TYPE)(10 * (p) + (i) + 1))

#define TEST(NAME, TYPE)                                                                                               \
  static TYPE NAME##_static[kForms * kCount], NAME##_source[2 * kCount];                                               \
  static void test_##NAME(TYPE* dest) {                                                                                \
    TYPE got[2 * kCount];                                                                                              \
    for (int i = 0; i < 2 * kCount; ++i) NAME##_source[i] = VALUE(TYPE, me, i);                                        \
    for (int i = 0; i < kForms * kCount; ++i) dest[i] = 0;                                                             \
    signal_word = 0;                                                                                                   \
    wait_for_all();                                                                                                    \
    shmem_##NAME##_put(dest, NAME##_source, kCount, right);                                                            \
    shmem_##NAME##_put_nbi(dest + kCount, NAME##_source, kCount, right);                                               \
    shmem_ctx_##NAME##_put(SHMEM_CTX_DEFAULT, dest + 2 * kCount, NAME##_source, kCount, right);                        \
    shmem_##NAME##_iput(dest + 3 * kCount, NAME##_source, 2, 1, kCount / 2, right);                                    \
    for (int i = 0; i < kCount; ++i) shmem_##NAME##_p(dest + 4 * kCount + i, NAME##_source[i], right);                 \
    shmem_##NAME##_put_signal(dest + 5 * kCount, NAME##_source, kCount, &signal_word, 1, SHMEM_SIGNAL_ADD, right);     \
    shmem_##NAME##_put_signal_nbi(dest + 6 * kCount, NAME##_source, kCount, &signal_word, 1, SHMEM_SIGNAL_ADD, right); \
    CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, 2) == 2);                                                \
    for (int i = 0; i < kCount; ++i) {                                                                                 \
      CHECK(dest[5 * kCount + i] == VALUE(TYPE, left, i));                                                             \
      CHECK(dest[6 * kCount + i] == VALUE(TYPE, left, i));                                                             \
    }                                                                                                                  \
    wait_for_all();                                                                                                    \
    for (int i = 0; i < kCount; ++i) {                                                                                 \
      CHECK(dest[i] == VALUE(TYPE, left, i) && dest[kCount + i] == VALUE(TYPE, left, i));                              \
      CHECK(dest[2 * kCount + i] == VALUE(TYPE, left, i) && dest[4 * kCount + i] == VALUE(TYPE, left, i));             \
      CHECK(dest[3 * kCount + i] == (i % 2 ? (TYPE)0 : VALUE(TYPE, left, i / 2)));                                     \
    }                                                                                                                  \
    memset(got, 0, sizeof got);                                                                                        \
    shmem_##NAME##_get(got, NAME##_source, kCount, right);                                                             \
    shmem_##NAME##_get_nbi(got + kCount, NAME##_source, kCount, right);                                                \
    shmem_quiet();                                                                                                     \
    for (int i = 0; i < kCount; ++i)                                                                                   \
      CHECK(got[i] == VALUE(TYPE, right, i) && got[kCount + i] == VALUE(TYPE, right, i));                              \
    shmem_##NAME##_iget(got, NAME##_source, 2, 3, kCount / 2, right);                                                  \
    for (int i = 0; i < kCount / 2; ++i) CHECK(got[2 * i] == VALUE(TYPE, right, 3 * i));                               \
    CHECK(shmem_##NAME##_g(NAME##_source + 3, right) == VALUE(TYPE, right, 3));                                        \
    CHECK(shmem_ctx_##NAME##_g(SHMEM_CTX_DEFAULT, NAME##_source + 3, right) == VALUE(TYPE, right, 3));                 \
    wait_for_all();                                                                                                    \
  }
RMA_TYPES(TEST)

#define TEST_SIZE(BITS, BYTES)                                                                          \
  static void test_##BITS(void) {                                                                       \
    static unsigned char dest[4 * 16], source[4 * 16];                                                  \
    memset(dest, 0, sizeof dest);                                                                       \
    for (int i = 0; i < 4 * 16; ++i) source[i] = (unsigned char)(me + i);                               \
    wait_for_all();                                                                                     \
    shmem_put##BITS(dest, source, 2, right);                                                            \
    shmem_put##BITS##_nbi(dest + 2 * BYTES, source + 2 * BYTES, 1, right);                              \
    wait_for_all();                                                                                     \
    for (int i = 0; i < 4 * 16; ++i) CHECK(dest[i] == (i < 3 * BYTES ? (unsigned char)(left + i) : 0)); \
    unsigned char got[2 * 16] = {0};                                                                    \
    shmem_get##BITS(got, source, 1, right);                                                             \
    shmem_get##BITS##_nbi(got + BYTES, source + BYTES, 1, right);                                       \
    shmem_quiet();                                                                                      \
    for (int i = 0; i < 2 * BYTES; ++i) CHECK(got[i] == (unsigned char)(right + i));                    \
    wait_for_all();                                                                                     \
  }
TEST_SIZE(8, 1)
TEST_SIZE(16, 2) TEST_SIZE(32, 4) TEST_SIZE(64, 8) TEST_SIZE(128, 16) TEST_SIZE(mem, 1)

    int main(void) {
  shmem_init();
  me = shmem_my_pe();
  size = shmem_n_pes();
  right = (me + 1) % size;
  left = (me + size - 1) % size;
#define RUN(NAME, TYPE)                                        \
  {                                                            \
    TYPE* heap = shmem_malloc(kForms * kCount * sizeof(TYPE)); \
    test_##NAME(NAME##_static);                                \
    test_##NAME(heap);                                         \
    shmem_free(heap);                                          \
  }
  RMA_TYPES(RUN)
  test_8(), test_16(), test_32(), test_64(), test_128(), test_mem();
  shmem_finalize();
  if (me == 0) puts("ok");
  return 0;
}
