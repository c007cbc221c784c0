/* OpenSHMEM 1.5, deprecated: collectives of an active set, which is (first PE, log2 of the stride, number of PEs). The
 * set becomes a team at its first use; pSync and pWrk are not needed and may be NULL. */
#ifndef SHMEMU_SHMEM_ACTIVE_SETS_H
#define SHMEMU_SHMEM_ACTIVE_SETS_H
#include "collectives.h"
#include "setup.h"

SHMEMU_C shmem_team_t __shmemu_active_set(int PE_start, int logPE_stride, int PE_size);
/* unlike a team's broadcast it leaves `dest` of the root as it is */
SHMEMU_C void __shmemu_active_broadcast(void* dest, const void* source, size_t bytes, int root, shmem_team_t set);

SHMEMU_SHMEM void shmem_barrier(int PE_start, int logPE_stride, int PE_size, long* pSync) {
  (void)pSync;
  (void)__shmemu_collective(SHMEMU_COLL_BARRIER, __shmemu_active_set(PE_start, logPE_stride, PE_size), NULL, NULL, 0, 0,
                            0, 0, 0, SHMEMU_THREAD);
}
SHMEMU_SHMEM void __shmemu_set_sync(int PE_start, int logPE_stride, int PE_size, long* pSync) {
  (void)pSync;
  (void)shmem_team_sync(__shmemu_active_set(PE_start, logPE_stride, PE_size));
}
#define SHMEMU_X(BITS, BYTES)                                                                                          \
  SHMEMU_SHMEM void shmem_broadcast##BITS(void* dest, const void* source, size_t nelems, int PE_root, int PE_start,    \
                                          int logPE_stride, int PE_size, long* pSync) {                                \
    (void)pSync;                                                                                                       \
    __shmemu_active_broadcast(dest, source, nelems* BYTES, PE_root,                                                    \
                              __shmemu_active_set(PE_start, logPE_stride, PE_size));                                   \
  }                                                                                                                    \
  SHMEMU_SHMEM void shmem_collect##BITS(void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, \
                                        int PE_size, long* pSync) {                                                    \
    (void)pSync;                                                                                                       \
    (void)__shmemu_collect(__shmemu_active_set(PE_start, logPE_stride, PE_size), dest, source, nelems* BYTES);         \
  }                                                                                                                    \
  SHMEMU_SHMEM void shmem_fcollect##BITS(void* dest, const void* source, size_t nelems, int PE_start,                  \
                                         int logPE_stride, int PE_size, long* pSync) {                                 \
    (void)pSync;                                                                                                       \
    (void)__shmemu_collective(SHMEMU_COLL_FCOLLECT, __shmemu_active_set(PE_start, logPE_stride, PE_size), dest,        \
                              source, nelems, BYTES, 0, 0, 0, SHMEMU_THREAD);                                          \
  }                                                                                                                    \
  SHMEMU_SHMEM void shmem_alltoall##BITS(void* dest, const void* source, size_t nelems, int PE_start,                  \
                                         int logPE_stride, int PE_size, long* pSync) {                                 \
    (void)pSync;                                                                                                       \
    (void)__shmemu_collective(SHMEMU_COLL_ALLTOALL, __shmemu_active_set(PE_start, logPE_stride, PE_size), dest,        \
                              source, nelems, BYTES, 0, 0, 0, SHMEMU_THREAD);                                          \
  }                                                                                                                    \
  SHMEMU_SHMEM void shmem_alltoalls##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
                                          int PE_start, int logPE_stride, int PE_size, long* pSync) {                  \
    (void)pSync;                                                                                                       \
    (void)__shmemu_alltoalls(__shmemu_active_set(PE_start, logPE_stride, PE_size), dest, source, dst, sst, nelems,     \
                             BYTES);                                                                                   \
  }
SHMEMU_X(32, 4)
SHMEMU_X(64, 8)
#undef SHMEMU_X

#define SHMEMU_TO_ALL(NAME, TYPE, WORD, OP)                                                                           \
  SHMEMU_SHMEM void shmem_##NAME##_##WORD##_to_all(TYPE* dest, const TYPE* source, int nreduce, int PE_start,         \
                                                   int logPE_stride, int PE_size, TYPE* pWrk, long* pSync) {          \
    (void)pWrk;                                                                                                       \
    (void)pSync;                                                                                                      \
    (void)__shmemu_collective(SHMEMU_COLL_REDUCE, __shmemu_active_set(PE_start, logPE_stride, PE_size), dest, source, \
                              (size_t)nreduce, sizeof(TYPE), SHMEMU_E_##NAME, OP, 0, SHMEMU_THREAD);                  \
  }
#define SHMEMU_X(NAME, TYPE)                 \
  SHMEMU_TO_ALL(NAME, TYPE, and, SHMEMU_AND) \
  SHMEMU_TO_ALL(NAME, TYPE, or, SHMEMU_OR)   \
  SHMEMU_TO_ALL(NAME, TYPE, xor, SHMEMU_XOR)
SHMEMU_X(short, short)
SHMEMU_X(int, int) SHMEMU_X(long, long) SHMEMU_X(longlong, long long)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE) SHMEMU_TO_ALL(NAME, TYPE, max, SHMEMU_MAX) SHMEMU_TO_ALL(NAME, TYPE, min, SHMEMU_MIN)
    SHMEMU_X(short, short) SHMEMU_X(int, int) SHMEMU_X(long, long) SHMEMU_X(longlong, long long) SHMEMU_X(float, float)
        SHMEMU_X(double, double) SHMEMU_X(longdouble, long double)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE) SHMEMU_TO_ALL(NAME, TYPE, sum, SHMEMU_SUM) SHMEMU_TO_ALL(NAME, TYPE, prod, SHMEMU_PROD)
            SHMEMU_X(short, short) SHMEMU_X(int, int) SHMEMU_X(long, long) SHMEMU_X(longlong, long long)
                SHMEMU_X(float, float) SHMEMU_X(double, double) SHMEMU_X(longdouble, long double)
                    SHMEMU_SHMEM_COMPLEX_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_TO_ALL
#endif
