/* Chapter 7: put, get, p, g in every type, size and scope. Wrappers only; the work is __shmemu_put and friends.
 *
 * dest of a put and source of a get are symmetric addresses; the other side is local. Blocking put: the source may be
 * reused on return, the data need not have arrived (quiet). nbi: both only after quiet (spec 1.3, RMA).
 */
#ifndef SHMEMU_NVSHMEM_RMA_H
#define SHMEMU_NVSHMEM_RMA_H
#include "types_constants.h"

/* one name: HOW = SHMEMU_WRAP or SHMEMU_WRAP_D, CALL = put or get */
#define SHMEMU_RMA(HOW, FUNCTION, TYPE, BYTES, CALL, SCOPE, NBI)             \
  HOW void FUNCTION(TYPE* dest, const TYPE* source, size_t nelems, int pe) { \
    __shmemu_##CALL(dest, source, nelems*(BYTES), pe, SCOPE, NBI);           \
  }

/* ---- thread scope, host and device ---- */
#define SHMEMU_X(NAME, TYPE)                                                                   \
  SHMEMU_RMA(SHMEMU_WRAP, nvshmem_##NAME##_put, TYPE, sizeof(TYPE), put, SHMEMU_THREAD, 0)     \
  SHMEMU_RMA(SHMEMU_WRAP, nvshmem_##NAME##_put_nbi, TYPE, sizeof(TYPE), put, SHMEMU_THREAD, 1) \
  SHMEMU_RMA(SHMEMU_WRAP, nvshmem_##NAME##_get, TYPE, sizeof(TYPE), get, SHMEMU_THREAD, 0)     \
  SHMEMU_RMA(SHMEMU_WRAP, nvshmem_##NAME##_get_nbi, TYPE, sizeof(TYPE), get, SHMEMU_THREAD, 1) \
  SHMEMU_WRAP void nvshmem_##NAME##_p(TYPE* dest, const TYPE value, int pe) {                  \
    __shmemu_p(dest, &value, sizeof(TYPE), pe);                                                \
  }                                                                                            \
  SHMEMU_WRAP TYPE nvshmem_##NAME##_g(const TYPE* source, int pe) {                            \
    TYPE result;                                                                               \
    __shmemu_g(&result, source, sizeof(TYPE), pe);                                             \
    return result;                                                                             \
  }
SHMEMU_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X

#define SHMEMU_X(BITS, BYTES)                                                          \
  SHMEMU_RMA(SHMEMU_WRAP, nvshmem_put##BITS, void, BYTES, put, SHMEMU_THREAD, 0)       \
  SHMEMU_RMA(SHMEMU_WRAP, nvshmem_put##BITS##_nbi, void, BYTES, put, SHMEMU_THREAD, 1) \
  SHMEMU_RMA(SHMEMU_WRAP, nvshmem_get##BITS, void, BYTES, get, SHMEMU_THREAD, 0)       \
  SHMEMU_RMA(SHMEMU_WRAP, nvshmem_get##BITS##_nbi, void, BYTES, get, SHMEMU_THREAD, 1)
SHMEMU_SIZES(SHMEMU_X)
SHMEMU_X(mem, 1)
#undef SHMEMU_X

#if SHMEMU_DEVICE_NAMES
/* ---- warp and block scope: every thread of the group calls with equal arguments ---- */
#define SHMEMU_X(NAME, TYPE)                                                                           \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_##NAME##_put_warp, TYPE, sizeof(TYPE), put, SHMEMU_WARP, 0)       \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_##NAME##_put_block, TYPE, sizeof(TYPE), put, SHMEMU_BLOCK, 0)     \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_##NAME##_put_nbi_warp, TYPE, sizeof(TYPE), put, SHMEMU_WARP, 1)   \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_##NAME##_put_nbi_block, TYPE, sizeof(TYPE), put, SHMEMU_BLOCK, 1) \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_##NAME##_get_warp, TYPE, sizeof(TYPE), get, SHMEMU_WARP, 0)       \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_##NAME##_get_block, TYPE, sizeof(TYPE), get, SHMEMU_BLOCK, 0)     \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_##NAME##_get_nbi_warp, TYPE, sizeof(TYPE), get, SHMEMU_WARP, 1)   \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_##NAME##_get_nbi_block, TYPE, sizeof(TYPE), get, SHMEMU_BLOCK, 1)
SHMEMU_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X

#define SHMEMU_X(BITS, BYTES)                                                                  \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_put##BITS##_warp, void, BYTES, put, SHMEMU_WARP, 0)       \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_put##BITS##_block, void, BYTES, put, SHMEMU_BLOCK, 0)     \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_put##BITS##_nbi_warp, void, BYTES, put, SHMEMU_WARP, 1)   \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_put##BITS##_nbi_block, void, BYTES, put, SHMEMU_BLOCK, 1) \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_get##BITS##_warp, void, BYTES, get, SHMEMU_WARP, 0)       \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_get##BITS##_block, void, BYTES, get, SHMEMU_BLOCK, 0)     \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_get##BITS##_nbi_warp, void, BYTES, get, SHMEMU_WARP, 1)   \
  SHMEMU_RMA(SHMEMU_WRAP_D, nvshmemx_get##BITS##_nbi_block, void, BYTES, get, SHMEMU_BLOCK, 1)
SHMEMU_SIZES(SHMEMU_X)
SHMEMU_X(mem, 1)
#undef SHMEMU_X
#endif
#undef SHMEMU_RMA
#endif
