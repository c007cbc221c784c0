/* atomicAdd .. atomicDec on memory that any thread, PE or the host may share.
 *
 * Written with clang's __atomic builtins, relaxed as CUDA's are; the plugin finds the IR atomics and puts
 * __shmemu_order / __shmemu_wrote around them. The _block and _system forms are the same operation: one memory, one
 * order. Half types stand in cuda_fp16.h and cuda_bf16.h.
 */
#ifndef SHMEMU_CUDA_DEVICE_ATOMICS_H
#define SHMEMU_CUDA_DEVICE_ATOMICS_H
#include "vector_types.h"

/* clang-format off */
/* a definition in the three scopes; the body is the last argument, so that it may hold commas */
#define SHMEMU_ATOMIC1(name, type, ...)                                                          \
  SHMEMU_INLINE_D type name(type *address, type value) { __VA_ARGS__ }                           \
  SHMEMU_INLINE_D type name##_block(type *address, type value) { return name(address, value); }  \
  SHMEMU_INLINE_D type name##_system(type *address, type value) { return name(address, value); }
#define SHMEMU_ATOMIC_FETCH(name, builtin, type) \
  SHMEMU_ATOMIC1(name, type, return builtin(address, value, __ATOMIC_RELAXED);)

#define SHMEMU_ATOMIC_CAS(type)                                                                                \
  SHMEMU_INLINE_D type atomicCAS(type *address, type compare, type value) {                                    \
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);          \
    return compare;                                                                                            \
  }                                                                                                            \
  SHMEMU_INLINE_D type atomicCAS_block(type *address, type compare, type value) {                              \
    return atomicCAS(address, compare, value);                                                                 \
  }                                                                                                            \
  SHMEMU_INLINE_D type atomicCAS_system(type *address, type compare, type value) {                             \
    return atomicCAS(address, compare, value);                                                                 \
  }

SHMEMU_ATOMIC_FETCH(atomicAdd, __atomic_fetch_add, int)
SHMEMU_ATOMIC_FETCH(atomicAdd, __atomic_fetch_add, unsigned int)
SHMEMU_ATOMIC_FETCH(atomicAdd, __atomic_fetch_add, unsigned long long)
SHMEMU_ATOMIC_FETCH(atomicAdd, __atomic_fetch_add, float)
SHMEMU_ATOMIC_FETCH(atomicAdd, __atomic_fetch_add, double)
SHMEMU_ATOMIC_FETCH(atomicSub, __atomic_fetch_sub, int)
SHMEMU_ATOMIC_FETCH(atomicSub, __atomic_fetch_sub, unsigned int)

SHMEMU_ATOMIC_FETCH(atomicExch, __atomic_exchange_n, int)
SHMEMU_ATOMIC_FETCH(atomicExch, __atomic_exchange_n, unsigned int)
SHMEMU_ATOMIC_FETCH(atomicExch, __atomic_exchange_n, unsigned long long)
SHMEMU_ATOMIC1(atomicExch, float,
               return __uint_as_float(__atomic_exchange_n((unsigned int *)address, __float_as_uint(value),
                                                          __ATOMIC_RELAXED));)
SHMEMU_ATOMIC_CAS(int)
SHMEMU_ATOMIC_CAS(unsigned int)
SHMEMU_ATOMIC_CAS(unsigned long long)
SHMEMU_ATOMIC_CAS(unsigned short)

SHMEMU_ATOMIC_FETCH(atomicMin, __atomic_fetch_min, int)
SHMEMU_ATOMIC_FETCH(atomicMin, __atomic_fetch_min, unsigned int)
SHMEMU_ATOMIC_FETCH(atomicMin, __atomic_fetch_min, long long)
SHMEMU_ATOMIC_FETCH(atomicMin, __atomic_fetch_min, unsigned long long)
SHMEMU_ATOMIC_FETCH(atomicMax, __atomic_fetch_max, int)
SHMEMU_ATOMIC_FETCH(atomicMax, __atomic_fetch_max, unsigned int)
SHMEMU_ATOMIC_FETCH(atomicMax, __atomic_fetch_max, long long)
SHMEMU_ATOMIC_FETCH(atomicMax, __atomic_fetch_max, unsigned long long)

#define SHMEMU_ATOMIC_BITS(type)                             \
  SHMEMU_ATOMIC_FETCH(atomicAnd, __atomic_fetch_and, type)   \
  SHMEMU_ATOMIC_FETCH(atomicOr, __atomic_fetch_or, type)     \
  SHMEMU_ATOMIC_FETCH(atomicXor, __atomic_fetch_xor, type)
SHMEMU_ATOMIC_BITS(int)
SHMEMU_ATOMIC_BITS(unsigned int)
SHMEMU_ATOMIC_BITS(unsigned long long)

/* count up to `value` and start again at 0; count down and start again at `value`. One instruction, as on hardware: a loop
 * of compare-and-swap would make contending blocks take turns. */
#define SHMEMU_ATOMIC_STEP(name, instruction)                              \
  SHMEMU_ATOMIC1(name, unsigned int, unsigned int old;                     \
                 asm volatile(instruction " %0, [%1], %2;"                 \
                              : "=r"(old) : "l"(address), "r"(value) : "memory"); \
                 return old;)
SHMEMU_ATOMIC_STEP(atomicInc, "atom.inc.u32")
SHMEMU_ATOMIC_STEP(atomicDec, "atom.dec.u32")

/* element by element, as documented for sm_90 */
SHMEMU_ATOMIC1(atomicAdd, float2, float2 old;
               old.x = atomicAdd(&address->x, value.x);
               old.y = atomicAdd(&address->y, value.y);
               return old;)
SHMEMU_ATOMIC1(atomicAdd, float4, float4 old;
               old.x = atomicAdd(&address->x, value.x);
               old.y = atomicAdd(&address->y, value.y);
               old.z = atomicAdd(&address->z, value.z);
               old.w = atomicAdd(&address->w, value.w);
               return old;)
#undef SHMEMU_ATOMIC_STEP
#undef SHMEMU_ATOMIC_BITS
#undef SHMEMU_ATOMIC_CAS
#undef SHMEMU_ATOMIC_FETCH
#undef SHMEMU_ATOMIC1
#endif
