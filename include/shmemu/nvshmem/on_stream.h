/* Chapter 14: the same operations as commands of a CUDA stream, called by the host. */
#ifndef SHMEMU_NVSHMEM_ON_STREAM_H
#define SHMEMU_NVSHMEM_ON_STREAM_H
#include <cuda_runtime.h>

#include "types_constants.h"

/* ---- RMA ---- */
#define SHMEMU_STREAM_RMA(FUNCTION, TYPE, BYTES, CALL, NBI)                                                \
  SHMEMU_INLINE void FUNCTION(TYPE* dest, const TYPE* source, size_t nelems, int pe, cudaStream_t cstrm) { \
    __shmemu_##CALL##_on_stream(dest, source, nelems*(BYTES), pe, NBI, cstrm);                             \
  }
#define SHMEMU_STREAM_STRIDED(FUNCTION, TYPE, BYTES, CALL)                                                         \
  SHMEMU_INLINE void FUNCTION(TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe, \
                              cudaStream_t cstrm) {                                                                \
    __shmemu_##CALL##_on_stream(dest, source, dst, sst, nelems, BYTES, pe, cstrm);                                 \
  }
#define SHMEMU_STREAM_SIGNAL(FUNCTION, TYPE, BYTES, NBI)                                                          \
  SHMEMU_INLINE void FUNCTION(TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, \
                              int sig_op, int pe, cudaStream_t cstrm) {                                           \
    __shmemu_put_signal_on_stream(dest, source, nelems*(BYTES), sig_addr, signal, sig_op, pe, NBI, cstrm);        \
  }
#define SHMEMU_X(NAME, TYPE)                                                                                   \
  SHMEMU_STREAM_RMA(nvshmemx_##NAME##_put_on_stream, TYPE, sizeof(TYPE), put, 0)                               \
  SHMEMU_STREAM_RMA(nvshmemx_##NAME##_put_nbi_on_stream, TYPE, sizeof(TYPE), put, 1)                           \
  SHMEMU_STREAM_RMA(nvshmemx_##NAME##_get_on_stream, TYPE, sizeof(TYPE), get, 0)                               \
  SHMEMU_STREAM_RMA(nvshmemx_##NAME##_get_nbi_on_stream, TYPE, sizeof(TYPE), get, 1)                           \
  SHMEMU_STREAM_STRIDED(nvshmemx_##NAME##_iput_on_stream, TYPE, sizeof(TYPE), iput)                            \
  SHMEMU_STREAM_STRIDED(nvshmemx_##NAME##_iget_on_stream, TYPE, sizeof(TYPE), iget)                            \
  SHMEMU_STREAM_SIGNAL(nvshmemx_##NAME##_put_signal_on_stream, TYPE, sizeof(TYPE), 0)                          \
  SHMEMU_STREAM_SIGNAL(nvshmemx_##NAME##_put_signal_nbi_on_stream, TYPE, sizeof(TYPE), 1)                      \
  SHMEMU_INLINE void nvshmemx_##NAME##_p_on_stream(TYPE* dest, const TYPE value, int pe, cudaStream_t cstrm) { \
    __shmemu_p_on_stream(dest, &value, sizeof(TYPE), pe, cstrm);                                               \
  }                                                                                                            \
  SHMEMU_INLINE TYPE nvshmemx_##NAME##_g_on_stream(const TYPE* source, int pe, cudaStream_t cstrm) {           \
    TYPE result;                                                                                               \
    __shmemu_g_on_stream(&result, source, sizeof(TYPE), pe, cstrm);                                            \
    return result;                                                                                             \
  }
SHMEMU_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X_CONTIGUOUS(BITS, BYTES)                                      \
  SHMEMU_STREAM_RMA(nvshmemx_put##BITS##_on_stream, void, BYTES, put, 0)      \
  SHMEMU_STREAM_RMA(nvshmemx_put##BITS##_nbi_on_stream, void, BYTES, put, 1)  \
  SHMEMU_STREAM_RMA(nvshmemx_get##BITS##_on_stream, void, BYTES, get, 0)      \
  SHMEMU_STREAM_RMA(nvshmemx_get##BITS##_nbi_on_stream, void, BYTES, get, 1)  \
  SHMEMU_STREAM_SIGNAL(nvshmemx_put##BITS##_signal_on_stream, void, BYTES, 0) \
  SHMEMU_STREAM_SIGNAL(nvshmemx_put##BITS##_signal_nbi_on_stream, void, BYTES, 1)
#define SHMEMU_X(BITS, BYTES)                                               \
  SHMEMU_X_CONTIGUOUS(BITS, BYTES)                                          \
  SHMEMU_STREAM_STRIDED(nvshmemx_iput##BITS##_on_stream, void, BYTES, iput) \
  SHMEMU_STREAM_STRIDED(nvshmemx_iget##BITS##_on_stream, void, BYTES, iget)
SHMEMU_SIZES(SHMEMU_X)
SHMEMU_X_CONTIGUOUS(mem, 1)
#undef SHMEMU_X
#undef SHMEMU_X_CONTIGUOUS
#undef SHMEMU_STREAM_RMA
#undef SHMEMU_STREAM_STRIDED
#undef SHMEMU_STREAM_SIGNAL

/* ---- signals, waits, completion ---- */
SHMEMU_INLINE void nvshmemx_signal_op_on_stream(uint64_t* sig_addr, uint64_t signal, int sig_op, int pe,
                                                cudaStream_t cstrm) {
  __shmemu_signal_op_on_stream(sig_addr, signal, sig_op, pe, cstrm);
}
SHMEMU_INLINE void nvshmemx_signal_wait_until_on_stream(uint64_t* sig_addr, int cmp, uint64_t cmp_value,
                                                        cudaStream_t cstream) {
  __shmemu_signal_wait_until_on_stream(sig_addr, cmp, cmp_value, cstream);
}
SHMEMU_INLINE void nvshmemx_quiet_on_stream(cudaStream_t cstrm) { __shmemu_quiet_on_stream(cstrm); }

#define SHMEMU_X(NAME, TYPE)                                                                                     \
  SHMEMU_INLINE void nvshmemx_##NAME##_wait_until_on_stream(TYPE* ivar, int cmp, TYPE cmp_value,                 \
                                                            cudaStream_t cstream) {                              \
    uint64_t bits = 0;                                                                                           \
    __builtin_memcpy(&bits, &cmp_value, sizeof(TYPE));                                                           \
    __shmemu_wait_until_on_stream(ivar, SHMEMU_T_##NAME, cmp, bits, cstream);                                    \
  }                                                                                                              \
  SHMEMU_INLINE void nvshmemx_##NAME##_wait_until_all_on_stream(TYPE* ivars, size_t nelems, const int* status,   \
                                                                int cmp, TYPE cmp_value, cudaStream_t cstream) { \
    uint64_t bits = 0;                                                                                           \
    __builtin_memcpy(&bits, &cmp_value, sizeof(TYPE));                                                           \
    __shmemu_wait_set_on_stream(ivars, nelems, status, SHMEMU_T_##NAME, cmp, bits, NULL, cstream);               \
  }                                                                                                              \
  SHMEMU_INLINE void nvshmemx_##NAME##_wait_until_all_vector_on_stream(                                          \
      TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE* cmp_values, cudaStream_t cstream) {          \
    __shmemu_wait_set_on_stream(ivars, nelems, status, SHMEMU_T_##NAME, cmp, 0, cmp_values, cstream);            \
  }
SHMEMU_WAIT_TYPES(SHMEMU_X)
#undef SHMEMU_X

/* ---- collectives ---- */
#define SHMEMU_STREAM_TEAM(FUNCTION, KIND)                                               \
  SHMEMU_INLINE int FUNCTION(nvshmem_team_t team, cudaStream_t stream) {                 \
    return __shmemu_collective_on_stream(KIND, team, NULL, NULL, 0, 0, 0, 0, 0, stream); \
  }
#define SHMEMU_STREAM_WORLD(FUNCTION, KIND)                                                           \
  SHMEMU_INLINE void FUNCTION(cudaStream_t stream) {                                                  \
    (void)__shmemu_collective_on_stream(KIND, NVSHMEM_TEAM_WORLD, NULL, NULL, 0, 0, 0, 0, 0, stream); \
  }
#define SHMEMU_STREAM_DATA(FUNCTION, TYPE, BYTES, KIND, ELEMENT, OP)                                       \
  SHMEMU_INLINE int FUNCTION(nvshmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems,           \
                             cudaStream_t stream) {                                                        \
    return __shmemu_collective_on_stream(KIND, team, dest, source, nelems, BYTES, ELEMENT, OP, 0, stream); \
  }
#define SHMEMU_STREAM_ROOT(FUNCTION, TYPE, BYTES, KIND)                                                       \
  SHMEMU_INLINE int FUNCTION(nvshmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems, int PE_root, \
                             cudaStream_t stream) {                                                           \
    return __shmemu_collective_on_stream(KIND, team, dest, source, nelems, BYTES, 0, 0, PE_root, stream);     \
  }
SHMEMU_STREAM_TEAM(nvshmemx_barrier_on_stream, SHMEMU_COLL_BARRIER)
SHMEMU_STREAM_WORLD(nvshmemx_barrier_all_on_stream, SHMEMU_COLL_BARRIER)
SHMEMU_STREAM_TEAM(nvshmemx_team_sync_on_stream, SHMEMU_COLL_SYNC)
SHMEMU_STREAM_WORLD(nvshmemx_sync_all_on_stream, SHMEMU_COLL_SYNC)
#define nvshmemx_sync_on_stream nvshmemx_team_sync_on_stream

SHMEMU_STREAM_ROOT(nvshmemx_broadcastmem_on_stream, void, 1, SHMEMU_COLL_BROADCAST)
SHMEMU_STREAM_DATA(nvshmemx_fcollectmem_on_stream, void, 1, SHMEMU_COLL_FCOLLECT, 0, 0)
SHMEMU_STREAM_DATA(nvshmemx_alltoallmem_on_stream, void, 1, SHMEMU_COLL_ALLTOALL, 0, 0)
#define SHMEMU_X(NAME, TYPE)                                                                               \
  SHMEMU_STREAM_ROOT(nvshmemx_##NAME##_broadcast_on_stream, TYPE, sizeof(TYPE), SHMEMU_COLL_BROADCAST)     \
  SHMEMU_STREAM_DATA(nvshmemx_##NAME##_fcollect_on_stream, TYPE, sizeof(TYPE), SHMEMU_COLL_FCOLLECT, 0, 0) \
  SHMEMU_STREAM_DATA(nvshmemx_##NAME##_alltoall_on_stream, TYPE, sizeof(TYPE), SHMEMU_COLL_ALLTOALL, 0, 0)
SHMEMU_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X

#define SHMEMU_STREAM_REDUCE(NAME, TYPE, WORD, OP)                                                        \
  SHMEMU_STREAM_DATA(nvshmemx_##NAME##_##WORD##_reduce_on_stream, TYPE, sizeof(TYPE), SHMEMU_COLL_REDUCE, \
                     SHMEMU_T_##NAME, OP)                                                                 \
  SHMEMU_STREAM_DATA(nvshmemx_##NAME##_##WORD##_reducescatter_on_stream, TYPE, sizeof(TYPE),              \
                     SHMEMU_COLL_REDUCESCATTER, SHMEMU_T_##NAME, OP)
#define SHMEMU_X(NAME, TYPE)                        \
  SHMEMU_STREAM_REDUCE(NAME, TYPE, and, SHMEMU_AND) \
  SHMEMU_STREAM_REDUCE(NAME, TYPE, or, SHMEMU_OR)   \
  SHMEMU_STREAM_REDUCE(NAME, TYPE, xor, SHMEMU_XOR)
SHMEMU_REDUCE_BITWISE_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE)                          \
  SHMEMU_STREAM_REDUCE(NAME, TYPE, sum, SHMEMU_SUM)   \
  SHMEMU_STREAM_REDUCE(NAME, TYPE, prod, SHMEMU_PROD) \
  SHMEMU_STREAM_REDUCE(NAME, TYPE, min, SHMEMU_MIN)   \
  SHMEMU_STREAM_REDUCE(NAME, TYPE, max, SHMEMU_MAX)
SHMEMU_REDUCE_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_STREAM_TEAM
#undef SHMEMU_STREAM_WORLD
#undef SHMEMU_STREAM_DATA
#undef SHMEMU_STREAM_ROOT
#undef SHMEMU_STREAM_REDUCE
#endif
