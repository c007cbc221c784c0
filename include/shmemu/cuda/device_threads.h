/* What the threads of a block, a warp or a grid do together: barriers, votes, shuffles, matches, warp reductions.
 *
 * Each ends in one __shmemu_* call (abi.h), a private interaction of the kernel. __syncthreads is a builtin of clang
 * and
 * __syncthreads_count/and/or stand in clang's header. Shuffles and matches are templates: any type of at most 8 bytes.
 */
#ifndef SHMEMU_CUDA_DEVICE_THREADS_H
#define SHMEMU_CUDA_DEVICE_THREADS_H
#include "../abi.h"
#include "keywords.h"

/* ---- the built-in variables; clang declares the conversions and leaves the bodies to us ---- */
#include <__clang_cuda_builtin_vars.h>
#define SHMEMU_BUILTIN(type)                                              \
  __device__ inline type::operator dim3() const { return dim3(x, y, z); } \
  __device__ inline type::operator uint3() const { return uint3{x, y, z}; }
/* clang-format off */
SHMEMU_BUILTIN(__cuda_builtin_threadIdx_t)
SHMEMU_BUILTIN(__cuda_builtin_blockIdx_t)
SHMEMU_BUILTIN(__cuda_builtin_blockDim_t)
SHMEMU_BUILTIN(__cuda_builtin_gridDim_t)
#undef SHMEMU_BUILTIN
/* clang-format on */

/* ---- barriers and votes ---- */
SHMEMU_INLINE_D void __syncwarp(unsigned mask = 0xffffffffu) { __shmemu_syncwarp(mask); }
SHMEMU_INLINE_D unsigned __activemask() { return __shmemu_activemask(); }
SHMEMU_INLINE_D unsigned __ballot_sync(unsigned mask, int predicate) { return __shmemu_ballot(mask, predicate); }
SHMEMU_INLINE_D int __any_sync(unsigned mask, int predicate) { return __shmemu_ballot(mask, predicate) != 0; }
SHMEMU_INLINE_D int __all_sync(unsigned mask, int predicate) { return __shmemu_ballot(mask, !predicate) == 0; }
SHMEMU_INLINE_D int __uni_sync(unsigned mask, int predicate) {
  unsigned yes = __shmemu_ballot(mask, predicate), no = __shmemu_ballot(mask, !predicate);
  return yes == 0 || no == 0;
}

/* ---- the bits of a value, for shuffles and matches ---- */
template <class T>
SHMEMU_INLINE_D uint64_t __shmemu_to_bits(T value) {
  static_assert(sizeof(T) <= 8, "warp operations move values of at most 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
SHMEMU_INLINE_D T __shmemu_from_bits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
SHMEMU_INLINE_D T __shmemu_shuffle(unsigned mask, T value, int mode, int argument, int width) {
  return __shmemu_from_bits<T>(__shmemu_shfl(mask, __shmemu_to_bits(value), mode, argument, width));
}

template <class T>
SHMEMU_INLINE_D T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  return __shmemu_shuffle(mask, value, 0, lane, width);
}
template <class T>
SHMEMU_INLINE_D T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return __shmemu_shuffle(mask, value, 1, (int)delta, width);
}
template <class T>
SHMEMU_INLINE_D T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return __shmemu_shuffle(mask, value, 2, (int)delta, width);
}
template <class T>
SHMEMU_INLINE_D T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  return __shmemu_shuffle(mask, value, 3, lane_mask, width);
}
template <class T>
SHMEMU_INLINE_D unsigned __match_any_sync(unsigned mask, T value) {
  return __shmemu_match_any(mask, __shmemu_to_bits(value));
}
template <class T>
SHMEMU_INLINE_D unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  return __shmemu_match_all(mask, __shmemu_to_bits(value), predicate);
}

/* ---- warp reductions (sm_80) ---- */
#define SHMEMU_WARP_REDUCE(name, op)                                               \
  SHMEMU_INLINE_D unsigned __reduce_##name##_sync(unsigned mask, unsigned value) { \
    return __shmemu_reduce(mask, value, op, SHMEMU_U32);                           \
  }
#define SHMEMU_WARP_REDUCE_SIGNED(name, op)                              \
  SHMEMU_INLINE_D int __reduce_##name##_sync(unsigned mask, int value) { \
    return (int)__shmemu_reduce(mask, (unsigned)value, op, SHMEMU_I32);  \
  }
/* clang-format off */
SHMEMU_WARP_REDUCE(add, SHMEMU_SUM) SHMEMU_WARP_REDUCE_SIGNED(add, SHMEMU_SUM)
SHMEMU_WARP_REDUCE(min, SHMEMU_MIN) SHMEMU_WARP_REDUCE_SIGNED(min, SHMEMU_MIN)
SHMEMU_WARP_REDUCE(max, SHMEMU_MAX) SHMEMU_WARP_REDUCE_SIGNED(max, SHMEMU_MAX)
SHMEMU_WARP_REDUCE(and, SHMEMU_AND)
SHMEMU_WARP_REDUCE(or, SHMEMU_OR)
SHMEMU_WARP_REDUCE(xor, SHMEMU_XOR)
/* clang-format on */
#undef SHMEMU_WARP_REDUCE
#undef SHMEMU_WARP_REDUCE_SIGNED
#endif
