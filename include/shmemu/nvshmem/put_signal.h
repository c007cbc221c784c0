/* Chapter 9: put with signal, device only. The signal arrives after its own payload and says nothing about other
 * operations (spec 1.3, signaling operations).
 *
 * The scoped 16-bit names are spelled put6 in 3.3.9; both spellings work here. 3.3.9 lets the sized scoped nbi names
 * block; here they are non-blocking as documented.
 */
#ifndef SHMEMU_NVSHMEM_PUT_SIGNAL_H
#define SHMEMU_NVSHMEM_PUT_SIGNAL_H
#include "types_constants.h"
#if SHMEMU_DEVICE_NAMES

#define SHMEMU_PUT_SIGNAL(FUNCTION, TYPE, BYTES, SCOPE, NBI)                                                      \
  SHMEMU_WRAP_D void FUNCTION(TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, \
                              int sig_op, int pe) {                                                               \
    __shmemu_put_signal(dest, source, nelems*(BYTES), sig_addr, signal, sig_op, pe, SCOPE, NBI);                  \
  }
#define SHMEMU_X(NAME, TYPE)                                                                   \
  SHMEMU_PUT_SIGNAL(nvshmem_##NAME##_put_signal, TYPE, sizeof(TYPE), SHMEMU_THREAD, 0)         \
  SHMEMU_PUT_SIGNAL(nvshmem_##NAME##_put_signal_nbi, TYPE, sizeof(TYPE), SHMEMU_THREAD, 1)     \
  SHMEMU_PUT_SIGNAL(nvshmemx_##NAME##_put_signal_warp, TYPE, sizeof(TYPE), SHMEMU_WARP, 0)     \
  SHMEMU_PUT_SIGNAL(nvshmemx_##NAME##_put_signal_nbi_warp, TYPE, sizeof(TYPE), SHMEMU_WARP, 1) \
  SHMEMU_PUT_SIGNAL(nvshmemx_##NAME##_put_signal_block, TYPE, sizeof(TYPE), SHMEMU_BLOCK, 0)   \
  SHMEMU_PUT_SIGNAL(nvshmemx_##NAME##_put_signal_nbi_block, TYPE, sizeof(TYPE), SHMEMU_BLOCK, 1)
SHMEMU_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X

#define SHMEMU_X_SCOPED(BITS, BYTES)                                                   \
  SHMEMU_PUT_SIGNAL(nvshmemx_put##BITS##_signal_warp, void, BYTES, SHMEMU_WARP, 0)     \
  SHMEMU_PUT_SIGNAL(nvshmemx_put##BITS##_signal_nbi_warp, void, BYTES, SHMEMU_WARP, 1) \
  SHMEMU_PUT_SIGNAL(nvshmemx_put##BITS##_signal_block, void, BYTES, SHMEMU_BLOCK, 0)   \
  SHMEMU_PUT_SIGNAL(nvshmemx_put##BITS##_signal_nbi_block, void, BYTES, SHMEMU_BLOCK, 1)
#define SHMEMU_X(BITS, BYTES)                                                      \
  SHMEMU_PUT_SIGNAL(nvshmem_put##BITS##_signal, void, BYTES, SHMEMU_THREAD, 0)     \
  SHMEMU_PUT_SIGNAL(nvshmem_put##BITS##_signal_nbi, void, BYTES, SHMEMU_THREAD, 1) \
  SHMEMU_X_SCOPED(BITS, BYTES)
SHMEMU_SIZES(SHMEMU_X)
SHMEMU_X(mem, 1)
SHMEMU_X_SCOPED(6, 2)
#undef SHMEMU_X
#undef SHMEMU_X_SCOPED
#undef SHMEMU_PUT_SIGNAL
#endif
#endif
