/* Chapter 10: signals, 64-bit words that a peer sets or adds to. */
#ifndef SHMEMU_NVSHMEM_SIGNAL_H
#define SHMEMU_NVSHMEM_SIGNAL_H
#include "types_constants.h"

SHMEMU_WRAP uint64_t nvshmem_signal_fetch(uint64_t* sig_addr) { return __shmemu_signal_fetch(sig_addr); }
#if SHMEMU_DEVICE_NAMES
SHMEMU_WRAP_D uint64_t nvshmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t cmp_val) {
  return __shmemu_signal_wait_until(sig_addr, cmp, cmp_val);
}
SHMEMU_WRAP_D void nvshmemx_signal_op(uint64_t* sig_addr, uint64_t signal, int sig_op, int pe) {
  __shmemu_signal_op(sig_addr, signal, sig_op, pe);
}
#endif
#endif
