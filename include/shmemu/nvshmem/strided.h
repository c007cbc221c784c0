/* Chapter 8: iput, iget. dst and sst are the strides of dest and source in elements. */
#ifndef SHMEMU_NVSHMEM_STRIDED_H
#define SHMEMU_NVSHMEM_STRIDED_H
#include "types_constants.h"

#define SHMEMU_STRIDED(HOW, FUNCTION, TYPE, BYTES, CALL, SCOPE)                                            \
  HOW void FUNCTION(TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) { \
    __shmemu_##CALL(dest, source, dst, sst, nelems, BYTES, pe, SCOPE);                                     \
  }

#define SHMEMU_X(NAME, TYPE)                                                                  \
  SHMEMU_STRIDED(SHMEMU_WRAP, nvshmem_##NAME##_iput, TYPE, sizeof(TYPE), iput, SHMEMU_THREAD) \
  SHMEMU_STRIDED(SHMEMU_WRAP, nvshmem_##NAME##_iget, TYPE, sizeof(TYPE), iget, SHMEMU_THREAD)
SHMEMU_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(BITS, BYTES)                                                       \
  SHMEMU_STRIDED(SHMEMU_WRAP, nvshmem_iput##BITS, void, BYTES, iput, SHMEMU_THREAD) \
  SHMEMU_STRIDED(SHMEMU_WRAP, nvshmem_iget##BITS, void, BYTES, iget, SHMEMU_THREAD)
SHMEMU_SIZES(SHMEMU_X)
#undef SHMEMU_X

#if SHMEMU_DEVICE_NAMES
#define SHMEMU_X(NAME, TYPE)                                                                          \
  SHMEMU_STRIDED(SHMEMU_WRAP_D, nvshmemx_##NAME##_iput_warp, TYPE, sizeof(TYPE), iput, SHMEMU_WARP)   \
  SHMEMU_STRIDED(SHMEMU_WRAP_D, nvshmemx_##NAME##_iput_block, TYPE, sizeof(TYPE), iput, SHMEMU_BLOCK) \
  SHMEMU_STRIDED(SHMEMU_WRAP_D, nvshmemx_##NAME##_iget_warp, TYPE, sizeof(TYPE), iget, SHMEMU_WARP)   \
  SHMEMU_STRIDED(SHMEMU_WRAP_D, nvshmemx_##NAME##_iget_block, TYPE, sizeof(TYPE), iget, SHMEMU_BLOCK)
SHMEMU_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(BITS, BYTES)                                                                 \
  SHMEMU_STRIDED(SHMEMU_WRAP_D, nvshmemx_iput##BITS##_warp, void, BYTES, iput, SHMEMU_WARP)   \
  SHMEMU_STRIDED(SHMEMU_WRAP_D, nvshmemx_iput##BITS##_block, void, BYTES, iput, SHMEMU_BLOCK) \
  SHMEMU_STRIDED(SHMEMU_WRAP_D, nvshmemx_iget##BITS##_warp, void, BYTES, iget, SHMEMU_WARP)   \
  SHMEMU_STRIDED(SHMEMU_WRAP_D, nvshmemx_iget##BITS##_block, void, BYTES, iget, SHMEMU_BLOCK)
SHMEMU_SIZES(SHMEMU_X)
#undef SHMEMU_X
#endif
#undef SHMEMU_STRIDED
#endif
