/* Chapter 16: operations on a queue pair that the program names (additions of release 3.5). Where GPU threads drive the
 * adapter, each handle is a queue pair of its own to every PE: operations of one are carried in order, and its quiet and
 * fence cover no other. Elsewhere (NVLink, a CPU proxy) there are none: every handle is NVSHMEMX_QP_DEFAULT. */
#ifndef SHMEMU_NVSHMEM_QP_H
#define SHMEMU_NVSHMEM_QP_H
#include "types_constants.h"

typedef int nvshmemx_qp_handle_t;
enum { NVSHMEMX_QP_HOST = 0, NVSHMEMX_QP_DEFAULT = 1, NVSHMEMX_QP_ANY = INT_MAX, NVSHMEMX_QP_ALL = INT_MAX };

/* Makes `num_qps` queue pairs to every PE; the program frees the array of their handles with free(). */
SHMEMU_C int nvshmemx_qp_create(int num_qps, nvshmemx_qp_handle_t** out_qp_array);

#if SHMEMU_DEVICE_NAMES
SHMEMU_C SHMEMU_D void nvshmemx_qp_quiet(int pe, nvshmemx_qp_handle_t* qps, int num_qps);
SHMEMU_C SHMEMU_D void nvshmemx_qp_quiet_warp(int pe, nvshmemx_qp_handle_t* qps, int num_qps);
SHMEMU_C SHMEMU_D void nvshmemx_qp_quiet_block(int pe, nvshmemx_qp_handle_t* qps, int num_qps);
SHMEMU_C SHMEMU_D void nvshmemx_qp_fence(int pe, nvshmemx_qp_handle_t* qps, int num_qps);
SHMEMU_C SHMEMU_D void nvshmemx_qp_fence_warp(int pe, nvshmemx_qp_handle_t* qps, int num_qps);
SHMEMU_C SHMEMU_D void nvshmemx_qp_fence_block(int pe, nvshmemx_qp_handle_t* qps, int num_qps);

SHMEMU_WRAP_D void nvshmemx_qp_signal_op(uint64_t* sig_addr, uint64_t signal, int sig_op, int pe,
                                         nvshmemx_qp_handle_t qp) {
  __shmemu_qp_signal_op(sig_addr, signal, sig_op, pe, qp);
}
#define SHMEMU_QP_COPY(NAME, SUFFIX, TYPE, SCOPE)                                                                     \
  SHMEMU_WRAP_D void nvshmemx_qp_##NAME##_put##SUFFIX(TYPE* dest, const TYPE* source, size_t nelems, int pe,          \
                                                      nvshmemx_qp_handle_t qp) {                                         \
    __shmemu_qp_put(dest, source, nelems * sizeof(TYPE), pe, SCOPE, 0, qp);                                                  \
  }                                                                                                                   \
  SHMEMU_WRAP_D void nvshmemx_qp_##NAME##_put_nbi##SUFFIX(TYPE* dest, const TYPE* source, size_t nelems, int pe,      \
                                                          nvshmemx_qp_handle_t qp) {                                     \
    __shmemu_qp_put(dest, source, nelems * sizeof(TYPE), pe, SCOPE, 1, qp);                                                  \
  }                                                                                                                   \
  SHMEMU_WRAP_D void nvshmemx_qp_##NAME##_get##SUFFIX(TYPE* dest, const TYPE* source, size_t nelems, int pe,          \
                                                      nvshmemx_qp_handle_t qp) {                                         \
    __shmemu_qp_get(dest, source, nelems * sizeof(TYPE), pe, SCOPE, 0, qp);                                                  \
  }                                                                                                                   \
  SHMEMU_WRAP_D void nvshmemx_qp_##NAME##_get_nbi##SUFFIX(TYPE* dest, const TYPE* source, size_t nelems, int pe,      \
                                                          nvshmemx_qp_handle_t qp) {                                     \
    __shmemu_qp_get(dest, source, nelems * sizeof(TYPE), pe, SCOPE, 1, qp);                                                  \
  }                                                                                                                   \
  SHMEMU_WRAP_D void nvshmemx_qp_##NAME##_put_signal##SUFFIX(TYPE* dest, const TYPE* source, size_t nelems,           \
                                                             uint64_t* sig_addr, uint64_t signal, int sig_op, int pe, \
                                                             nvshmemx_qp_handle_t qp) {                                  \
    __shmemu_qp_put_signal(dest, source, nelems * sizeof(TYPE), sig_addr, signal, sig_op, pe, SCOPE, 0, qp);                 \
  }                                                                                                                   \
  SHMEMU_WRAP_D void nvshmemx_qp_##NAME##_put_signal_nbi##SUFFIX(TYPE* dest, const TYPE* source, size_t nelems,       \
                                                                 uint64_t* sig_addr, uint64_t signal, int sig_op,     \
                                                                 int pe, nvshmemx_qp_handle_t qp) {                      \
    __shmemu_qp_put_signal(dest, source, nelems * sizeof(TYPE), sig_addr, signal, sig_op, pe, SCOPE, 1, qp);                 \
  }
#define SHMEMU_X(NAME, TYPE)                                                                              \
  SHMEMU_QP_COPY(NAME, , TYPE, SHMEMU_THREAD)                                                             \
  SHMEMU_QP_COPY(NAME, _warp, TYPE, SHMEMU_WARP)                                                          \
  SHMEMU_QP_COPY(NAME, _block, TYPE, SHMEMU_BLOCK)                                                        \
  SHMEMU_WRAP_D void nvshmemx_qp_##NAME##_p(TYPE* dest, const TYPE value, int pe, nvshmemx_qp_handle_t qp) { \
    __shmemu_qp_p(dest, &value, sizeof(TYPE), pe, qp);                                                           \
  }                                                                                                       \
  SHMEMU_WRAP_D TYPE nvshmemx_qp_##NAME##_g(const TYPE* source, int pe, nvshmemx_qp_handle_t qp) {           \
    TYPE result;                                                                                          \
    __shmemu_qp_g(&result, source, sizeof(TYPE), pe, qp);                                                        \
    return result;                                                                                        \
  }
SHMEMU_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_QP_COPY
#endif
#endif
