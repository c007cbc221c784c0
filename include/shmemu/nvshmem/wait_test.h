/* Chapter 12: wait for, or test, words of this PE's symmetric memory that peers change. Device only.
 *
 * status[i] != 0 leaves element i out (NULL: none). any: index or SIZE_MAX for an empty set; some: indices and their
 * count; vector: one comparison value per element (spec 1.3, point-to-point synchronization).
 */
#ifndef SHMEMU_NVSHMEM_WAIT_TEST_H
#define SHMEMU_NVSHMEM_WAIT_TEST_H
#include "types_constants.h"
#if SHMEMU_DEVICE_NAMES

#define SHMEMU_BITS(TYPE, value) \
  uint64_t bits = 0;             \
  __builtin_memcpy(&bits, &value, sizeof(TYPE));

/* all, any, some for one verb; SET: 0 all, 1 any, 2 some */
#define SHMEMU_WAIT_FAMILY(NAME, TYPE, VERB, TESTING, ALL_RESULT, ALL_RETURN)                                         \
  SHMEMU_WRAP_D ALL_RESULT nvshmem_##NAME##_##VERB##_all(TYPE* ivars, size_t nelems, const int* status, int cmp,      \
                                                         TYPE cmp_value) {                                            \
    SHMEMU_BITS(TYPE, cmp_value)                                                                                      \
    ALL_RETURN __shmemu_wait_set(0, TESTING, ivars, nelems, NULL, status, SHMEMU_T_##NAME, cmp, bits, NULL);          \
  }                                                                                                                   \
  SHMEMU_WRAP_D size_t nvshmem_##NAME##_##VERB##_any(TYPE* ivars, size_t nelems, const int* status, int cmp,          \
                                                     TYPE cmp_value) {                                                \
    SHMEMU_BITS(TYPE, cmp_value)                                                                                      \
    return __shmemu_wait_set(1, TESTING, ivars, nelems, NULL, status, SHMEMU_T_##NAME, cmp, bits, NULL);              \
  }                                                                                                                   \
  SHMEMU_WRAP_D size_t nvshmem_##NAME##_##VERB##_some(TYPE* ivars, size_t nelems, size_t* indices, const int* status, \
                                                      int cmp, TYPE cmp_value) {                                      \
    SHMEMU_BITS(TYPE, cmp_value)                                                                                      \
    return __shmemu_wait_set(2, TESTING, ivars, nelems, indices, status, SHMEMU_T_##NAME, cmp, bits, NULL);           \
  }                                                                                                                   \
  SHMEMU_WRAP_D ALL_RESULT nvshmem_##NAME##_##VERB##_all_vector(TYPE* ivars, size_t nelems, const int* status,        \
                                                                int cmp, TYPE* cmp_values) {                          \
    ALL_RETURN __shmemu_wait_set(0, TESTING, ivars, nelems, NULL, status, SHMEMU_T_##NAME, cmp, 0, cmp_values);       \
  }                                                                                                                   \
  SHMEMU_WRAP_D size_t nvshmem_##NAME##_##VERB##_any_vector(TYPE* ivars, size_t nelems, const int* status, int cmp,   \
                                                            TYPE* cmp_values) {                                       \
    return __shmemu_wait_set(1, TESTING, ivars, nelems, NULL, status, SHMEMU_T_##NAME, cmp, 0, cmp_values);           \
  }                                                                                                                   \
  SHMEMU_WRAP_D size_t nvshmem_##NAME##_##VERB##_some_vector(TYPE* ivars, size_t nelems, size_t* indices,             \
                                                             const int* status, int cmp, TYPE* cmp_values) {          \
    return __shmemu_wait_set(2, TESTING, ivars, nelems, indices, status, SHMEMU_T_##NAME, cmp, 0, cmp_values);        \
  }
#define SHMEMU_X(NAME, TYPE)                                                            \
  SHMEMU_WRAP_D void nvshmem_##NAME##_wait_until(TYPE* ivar, int cmp, TYPE cmp_value) { \
    SHMEMU_BITS(TYPE, cmp_value)                                                        \
    __shmemu_wait_until(ivar, SHMEMU_T_##NAME, cmp, bits);                              \
  }                                                                                     \
  SHMEMU_WRAP_D int nvshmem_##NAME##_test(TYPE* ivar, int cmp, TYPE cmp_value) {        \
    SHMEMU_BITS(TYPE, cmp_value)                                                        \
    return __shmemu_test(ivar, SHMEMU_T_##NAME, cmp, bits);                             \
  }                                                                                     \
  SHMEMU_WAIT_FAMILY(NAME, TYPE, wait_until, 0, void, (void))                           \
  SHMEMU_WAIT_FAMILY(NAME, TYPE, test, 1, int, return (int))
SHMEMU_WAIT_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_WAIT_FAMILY
#undef SHMEMU_BITS
#endif
#endif
