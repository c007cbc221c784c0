/* Chapter 11: atomics on symmetric memory. Host and device in the headers of 3.3.9; on the host that release prints
 * and returns 0, here the runtime decides.
 *
 * Operands travel as the value's bits in a uint64_t, zero-extended (little-endian copy).
 */
#ifndef SHMEMU_NVSHMEM_ATOMICS_H
#define SHMEMU_NVSHMEM_ATOMICS_H
#include "types_constants.h"
#if defined(__CUDA__) || defined(__CUDACC__) || defined(__cplusplus)

#define SHMEMU_AMO_POST(FUNCTION, NAME, TYPE, OP, PARAMETERS, OPERAND) \
  SHMEMU_WRAP void FUNCTION PARAMETERS {                               \
    const TYPE operand = OPERAND;                                      \
    uint64_t bits = 0;                                                 \
    __builtin_memcpy(&bits, &operand, sizeof(TYPE));                   \
    __shmemu_atomic(dest, OP, SHMEMU_T_##NAME, bits, 0, pe);           \
  }
#define SHMEMU_AMO_FETCH_(FUNCTION, NAME, TYPE, OP, PARAMETERS, OPERAND, COMPARE)                          \
  SHMEMU_WRAP TYPE FUNCTION PARAMETERS {                                                                   \
    const TYPE operand = OPERAND, compare = COMPARE;                                                       \
    uint64_t bits = 0, compare_bits = 0, old;                                                              \
    TYPE result;                                                                                           \
    __builtin_memcpy(&bits, &operand, sizeof(TYPE));                                                       \
    __builtin_memcpy(&compare_bits, &compare, sizeof(TYPE));                                               \
    old = __shmemu_atomic((void*)dest, (OP) | SHMEMU_AMO_RESULT, SHMEMU_T_##NAME, bits, compare_bits, pe); \
    __builtin_memcpy(&result, &old, sizeof(TYPE));                                                         \
    return result;                                                                                         \
  }

#define SHMEMU_X(NAME, TYPE)                                                                                          \
  SHMEMU_AMO_POST(nvshmem_##NAME##_atomic_add, NAME, TYPE, SHMEMU_AMO_ADD, (TYPE * dest, TYPE value, int pe), value)  \
  SHMEMU_AMO_POST(nvshmem_##NAME##_atomic_inc, NAME, TYPE, SHMEMU_AMO_ADD, (TYPE * dest, int pe), 1)                  \
  SHMEMU_AMO_FETCH_(nvshmem_##NAME##_atomic_fetch_add, NAME, TYPE, SHMEMU_AMO_ADD, (TYPE * dest, TYPE value, int pe), \
                    value, 0)                                                                                         \
  SHMEMU_AMO_FETCH_(nvshmem_##NAME##_atomic_fetch_inc, NAME, TYPE, SHMEMU_AMO_ADD, (TYPE * dest, int pe), 1, 0)
SHMEMU_AMO_ADD_TYPES(SHMEMU_X)
#undef SHMEMU_X

#define SHMEMU_X_OP(NAME, TYPE, WORD, OP)                                                                   \
  SHMEMU_AMO_POST(nvshmem_##NAME##_atomic_##WORD, NAME, TYPE, OP, (TYPE * dest, TYPE value, int pe), value) \
  SHMEMU_AMO_FETCH_(nvshmem_##NAME##_atomic_fetch_##WORD, NAME, TYPE, OP, (TYPE * dest, TYPE value, int pe), value, 0)
#define SHMEMU_X(NAME, TYPE)                   \
  SHMEMU_X_OP(NAME, TYPE, and, SHMEMU_AMO_AND) \
  SHMEMU_X_OP(NAME, TYPE, or, SHMEMU_AMO_OR)   \
  SHMEMU_X_OP(NAME, TYPE, xor, SHMEMU_AMO_XOR)
SHMEMU_AMO_BITWISE_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_X_OP

#define SHMEMU_X(NAME, TYPE)                                                                   \
  SHMEMU_AMO_FETCH_(nvshmem_##NAME##_atomic_compare_swap, NAME, TYPE, SHMEMU_AMO_COMPARE_SWAP, \
                    (TYPE * dest, TYPE cond, TYPE value, int pe), value, cond)
SHMEMU_AMO_COMPARE_TYPES(SHMEMU_X)
#undef SHMEMU_X

#define SHMEMU_X(NAME, TYPE)                                                                                         \
  SHMEMU_AMO_POST(nvshmem_##NAME##_atomic_set, NAME, TYPE, SHMEMU_AMO_SET, (TYPE * dest, TYPE value, int pe), value) \
  SHMEMU_AMO_FETCH_(nvshmem_##NAME##_atomic_swap, NAME, TYPE, SHMEMU_AMO_SWAP, (TYPE * dest, TYPE value, int pe),    \
                    value, 0)                                                                                        \
  SHMEMU_AMO_FETCH_(nvshmem_##NAME##_atomic_fetch, NAME, TYPE, SHMEMU_AMO_FETCH, (const TYPE* dest, int pe), 0, 0)
SHMEMU_AMO_SET_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_AMO_POST
#undef SHMEMU_AMO_FETCH_
#endif
#endif
