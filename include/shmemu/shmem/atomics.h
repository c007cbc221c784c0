/* OpenSHMEM 1.5, 9.7: atomic memory operations, also with a context and non-blocking; and the names of 1.3. */
#ifndef SHMEMU_SHMEM_ATOMICS_H
#define SHMEMU_SHMEM_ATOMICS_H
#include <string.h>

#include "rma.h"

/* the bits of a value, zero-extended, and back */
#define SHMEMU_X(NAME, TYPE)                               \
  SHMEMU_SHMEM uint64_t __shmemu_bits_##NAME(TYPE value) { \
    uint64_t bits = 0;                                     \
    memcpy(&bits, &value, sizeof value);                   \
    return bits;                                           \
  }                                                        \
  SHMEMU_SHMEM TYPE __shmemu_value_##NAME(uint64_t bits) { \
    TYPE value;                                            \
    memcpy(&value, &bits, sizeof value);                   \
    return value;                                          \
  }
SHMEMU_SHMEM_WAIT_TYPES(SHMEMU_X)
SHMEMU_SHMEM_AMO_FLOAT_TYPES(SHMEMU_X)
#undef SHMEMU_X

/* the four shapes: value in, value in and out, nothing in, two values in */
#define SHMEMU_AMO_IN(FUNCTION, CTX, PE, NAME, TYPE, WHAT)                                               \
  SHMEMU_SHMEM void FUNCTION(CTX TYPE* dest, TYPE value, int pe) {                                       \
    (void)__shmemu_atomic(dest, SHMEMU_AMO_##WHAT, SHMEMU_E_##NAME, __shmemu_bits_##NAME(value), 0, PE); \
  }
#define SHMEMU_AMO_IN_OUT(FUNCTION, CTX, PE, NAME, TYPE, WHAT)                                                 \
  SHMEMU_SHMEM TYPE FUNCTION(CTX TYPE* dest, TYPE value, int pe) {                                             \
    return __shmemu_value_##NAME(__shmemu_atomic(dest, SHMEMU_AMO_##WHAT | SHMEMU_AMO_RESULT, SHMEMU_E_##NAME, \
                                                 __shmemu_bits_##NAME(value), 0, PE));                         \
  }
#define SHMEMU_AMO_INC(FUNCTION, CTX, PE, NAME, TYPE)                       \
  SHMEMU_SHMEM void FUNCTION(CTX TYPE* dest, int pe) {                      \
    (void)__shmemu_atomic(dest, SHMEMU_AMO_ADD, SHMEMU_E_##NAME, 1, 0, PE); \
  }
#define SHMEMU_AMO_FETCH_INC(FUNCTION, CTX, PE, NAME, TYPE)                                    \
  SHMEMU_SHMEM TYPE FUNCTION(CTX TYPE* dest, int pe) {                                         \
    return __shmemu_value_##NAME(                                                              \
        __shmemu_atomic(dest, SHMEMU_AMO_ADD | SHMEMU_AMO_RESULT, SHMEMU_E_##NAME, 1, 0, PE)); \
  }
#define SHMEMU_AMO_READ(FUNCTION, CTX, PE, NAME, TYPE)                                                               \
  SHMEMU_SHMEM TYPE FUNCTION(CTX const TYPE* source, int pe) {                                                       \
    return __shmemu_value_##NAME(                                                                                    \
        __shmemu_atomic((void*)(uintptr_t)source, SHMEMU_AMO_FETCH | SHMEMU_AMO_RESULT, SHMEMU_E_##NAME, 0, 0, PE)); \
  }
#define SHMEMU_AMO_CAS(FUNCTION, CTX, PE, NAME, TYPE)                                                                \
  SHMEMU_SHMEM TYPE FUNCTION(CTX TYPE* dest, TYPE cond, TYPE value, int pe) {                                        \
    return __shmemu_value_##NAME(__shmemu_atomic(dest, SHMEMU_AMO_COMPARE_SWAP | SHMEMU_AMO_RESULT, SHMEMU_E_##NAME, \
                                                 __shmemu_bits_##NAME(value), __shmemu_bits_##NAME(cond), PE));      \
  }
/* the non-blocking form of a fetching operation stores the result; here it is there when the call returns */
#define SHMEMU_AMO_NBI(FUNCTION, CTX, PE, TYPE, ARGUMENTS, CALL)                 \
  SHMEMU_SHMEM void FUNCTION(CTX TYPE* fetch, SHMEMU_UNPACK ARGUMENTS, int pe) { \
    const int to = PE;                                                           \
    *fetch = CALL;                                                               \
  }
#define SHMEMU_UNPACK(...) __VA_ARGS__

#define SHMEMU_X(NAME, TYPE)                                                           \
  SHMEMU_BOTH(SHMEMU_AMO_READ, NAME##_atomic_fetch, NAME, TYPE)                        \
  SHMEMU_BOTH(SHMEMU_AMO_IN, NAME##_atomic_set, NAME, TYPE, SET)                       \
  SHMEMU_BOTH(SHMEMU_AMO_IN_OUT, NAME##_atomic_swap, NAME, TYPE, SWAP)                 \
  SHMEMU_BOTH(SHMEMU_AMO_NBI, NAME##_atomic_fetch_nbi, TYPE, (const TYPE* source),     \
              shmem_##NAME##_atomic_fetch(source, to))                                 \
  SHMEMU_BOTH(SHMEMU_AMO_NBI, NAME##_atomic_swap_nbi, TYPE, (TYPE * dest, TYPE value), \
              shmem_##NAME##_atomic_swap(dest, value, to))
SHMEMU_SHMEM_AMO_TYPES(SHMEMU_X)
SHMEMU_SHMEM_AMO_FLOAT_TYPES(SHMEMU_X)
#undef SHMEMU_X

#define SHMEMU_X(NAME, TYPE)                                                                              \
  SHMEMU_BOTH(SHMEMU_AMO_CAS, NAME##_atomic_compare_swap, NAME, TYPE)                                     \
  SHMEMU_BOTH(SHMEMU_AMO_IN, NAME##_atomic_add, NAME, TYPE, ADD)                                          \
  SHMEMU_BOTH(SHMEMU_AMO_IN_OUT, NAME##_atomic_fetch_add, NAME, TYPE, ADD)                                \
  SHMEMU_BOTH(SHMEMU_AMO_INC, NAME##_atomic_inc, NAME, TYPE)                                              \
  SHMEMU_BOTH(SHMEMU_AMO_FETCH_INC, NAME##_atomic_fetch_inc, NAME, TYPE)                                  \
  SHMEMU_BOTH(SHMEMU_AMO_NBI, NAME##_atomic_compare_swap_nbi, TYPE, (TYPE * dest, TYPE cond, TYPE value), \
              shmem_##NAME##_atomic_compare_swap(dest, cond, value, to))                                  \
  SHMEMU_BOTH(SHMEMU_AMO_NBI, NAME##_atomic_fetch_add_nbi, TYPE, (TYPE * dest, TYPE value),               \
              shmem_##NAME##_atomic_fetch_add(dest, value, to))                                           \
  SHMEMU_BOTH(SHMEMU_AMO_NBI, NAME##_atomic_fetch_inc_nbi, TYPE, (TYPE * dest),                           \
              shmem_##NAME##_atomic_fetch_inc(dest, to))
SHMEMU_SHMEM_AMO_TYPES(SHMEMU_X)
#undef SHMEMU_X

#define SHMEMU_BITWISE(NAME, TYPE, WORD, WHAT)                                                   \
  SHMEMU_BOTH(SHMEMU_AMO_IN, NAME##_atomic_##WORD, NAME, TYPE, WHAT)                             \
  SHMEMU_BOTH(SHMEMU_AMO_IN_OUT, NAME##_atomic_fetch_##WORD, NAME, TYPE, WHAT)                   \
  SHMEMU_BOTH(SHMEMU_AMO_NBI, NAME##_atomic_fetch_##WORD##_nbi, TYPE, (TYPE * dest, TYPE value), \
              shmem_##NAME##_atomic_fetch_##WORD(dest, value, to))
#define SHMEMU_X(NAME, TYPE) \
  SHMEMU_BITWISE(NAME, TYPE, and, AND) SHMEMU_BITWISE(NAME, TYPE, or, OR) SHMEMU_BITWISE(NAME, TYPE, xor, XOR)
SHMEMU_SHMEM_AMO_BITWISE_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_BITWISE

/* ---- names of 1.3, deprecated since 1.4 ---- */
#define SHMEMU_X(NAME, TYPE)                                                                                           \
  SHMEMU_SHMEM void shmem_##NAME##_add(TYPE* d, TYPE v, int pe) { shmem_##NAME##_atomic_add(d, v, pe); }               \
  SHMEMU_SHMEM TYPE shmem_##NAME##_fadd(TYPE* d, TYPE v, int pe) { return shmem_##NAME##_atomic_fetch_add(d, v, pe); } \
  SHMEMU_SHMEM void shmem_##NAME##_inc(TYPE* d, int pe) { shmem_##NAME##_atomic_inc(d, pe); }                          \
  SHMEMU_SHMEM TYPE shmem_##NAME##_finc(TYPE* d, int pe) { return shmem_##NAME##_atomic_fetch_inc(d, pe); }            \
  SHMEMU_SHMEM TYPE shmem_##NAME##_cswap(TYPE* d, TYPE c, TYPE v, int pe) {                                            \
    return shmem_##NAME##_atomic_compare_swap(d, c, v, pe);                                                            \
  }
SHMEMU_X(int, int)
SHMEMU_X(long, long) SHMEMU_X(longlong, long long)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE)                                                                                      \
  SHMEMU_SHMEM TYPE shmem_##NAME##_swap(TYPE* d, TYPE v, int pe) { return shmem_##NAME##_atomic_swap(d, v, pe); } \
  SHMEMU_SHMEM TYPE shmem_##NAME##_fetch(const TYPE* s, int pe) { return shmem_##NAME##_atomic_fetch(s, pe); }    \
  SHMEMU_SHMEM void shmem_##NAME##_set(TYPE* d, TYPE v, int pe) { shmem_##NAME##_atomic_set(d, v, pe); }
    SHMEMU_X(int, int) SHMEMU_X(long, long) SHMEMU_X(longlong, long long) SHMEMU_X(float, float)
        SHMEMU_X(double, double)
#undef SHMEMU_X

#undef SHMEMU_AMO_IN
#undef SHMEMU_AMO_IN_OUT
#undef SHMEMU_AMO_INC
#undef SHMEMU_AMO_FETCH_INC
#undef SHMEMU_AMO_READ
#undef SHMEMU_AMO_CAS
#undef SHMEMU_AMO_NBI
#undef SHMEMU_UNPACK
#undef SHMEMU_BOTH
#undef SHMEMU_COMMA
#endif
