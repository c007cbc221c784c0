/* OpenSHMEM 1.5, 9.9 and 9.8.4: waiting for and testing the caller's own memory, signals. */
#ifndef SHMEMU_SHMEM_WAITS_H
#define SHMEMU_SHMEM_WAITS_H
#include "atomics.h"

SHMEMU_SHMEM uint64_t shmem_signal_fetch(const uint64_t* sig_addr) { return __shmemu_signal_fetch(sig_addr); }
SHMEMU_SHMEM uint64_t shmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t value) {
  return __shmemu_signal_wait_until(sig_addr, cmp, value);
}

/* which: 0 all, 1 any, 2 some, as in abi.h */
#define SHMEMU_SET(NAME, TYPE, RESULT, FORM, TESTING, WHICH)                                                        \
  SHMEMU_SHMEM RESULT shmem_##NAME##_##FORM(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE value) {   \
    return (RESULT)__shmemu_wait_set(WHICH, TESTING, ivars, nelems, NULL, status, SHMEMU_E_##NAME, cmp,             \
                                     __shmemu_bits_##NAME(value), NULL);                                            \
  }                                                                                                                 \
  SHMEMU_SHMEM RESULT shmem_##NAME##_##FORM##_vector(TYPE* ivars, size_t nelems, const int* status, int cmp,        \
                                                     TYPE* values) {                                                \
    return (RESULT)__shmemu_wait_set(WHICH, TESTING, ivars, nelems, NULL, status, SHMEMU_E_##NAME, cmp, 0, values); \
  }
#define SHMEMU_SOME(NAME, TYPE, FORM, TESTING)                                                                       \
  SHMEMU_SHMEM size_t shmem_##NAME##_##FORM(TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp, \
                                            TYPE value) {                                                            \
    return __shmemu_wait_set(2, TESTING, ivars, nelems, indices, status, SHMEMU_E_##NAME, cmp,                       \
                             __shmemu_bits_##NAME(value), NULL);                                                     \
  }                                                                                                                  \
  SHMEMU_SHMEM size_t shmem_##NAME##_##FORM##_vector(TYPE* ivars, size_t nelems, size_t* indices, const int* status, \
                                                     int cmp, TYPE* values) {                                        \
    return __shmemu_wait_set(2, TESTING, ivars, nelems, indices, status, SHMEMU_E_##NAME, cmp, 0, values);           \
  }
#define SHMEMU_X(NAME, TYPE)                                                              \
  SHMEMU_SHMEM void shmem_##NAME##_wait_until(volatile TYPE* ivar, int cmp, TYPE value) { \
    __shmemu_wait_until(ivar, SHMEMU_E_##NAME, cmp, __shmemu_bits_##NAME(value));         \
  }                                                                                       \
  SHMEMU_SHMEM int shmem_##NAME##_test(volatile TYPE* ivar, int cmp, TYPE value) {        \
    return __shmemu_test(ivar, SHMEMU_E_##NAME, cmp, __shmemu_bits_##NAME(value));        \
  }                                                                                       \
  SHMEMU_SET(NAME, TYPE, void, wait_until_all, 0, 0)                                      \
  SHMEMU_SET(NAME, TYPE, size_t, wait_until_any, 0, 1)                                    \
  SHMEMU_SOME(NAME, TYPE, wait_until_some, 0)                                             \
  SHMEMU_SET(NAME, TYPE, int, test_all, 1, 0)                                             \
  SHMEMU_SET(NAME, TYPE, size_t, test_any, 1, 1)                                          \
  SHMEMU_SOME(NAME, TYPE, test_some, 1)
SHMEMU_SHMEM_WAIT_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_SET
#undef SHMEMU_SOME

/* names of 1.3, deprecated since 1.4: wait until the value is no longer this one */
#define SHMEMU_X(NAME, TYPE)                                               \
  SHMEMU_SHMEM void shmem_##NAME##_wait(volatile TYPE* ivar, TYPE value) { \
    shmem_##NAME##_wait_until(ivar, SHMEM_CMP_NE, value);                  \
  }
SHMEMU_X(short, short)
SHMEMU_X(int, int) SHMEMU_X(long, long) SHMEMU_X(longlong, long long)
#undef SHMEMU_X
    SHMEMU_SHMEM void shmem_wait(volatile long* ivar, long value) {
  shmem_long_wait_until(ivar, SHMEM_CMP_NE, value);
}
#endif
