/* OpenSHMEM 1.5, 9.11: collectives of a team. mem forms count bytes. Results are 0, or non-zero for an invalid team. */
#ifndef SHMEMU_SHMEM_COLLECTIVES_H
#define SHMEMU_SHMEM_COLLECTIVES_H
#include "types.h"

/* sizes differ between members: gathered in team order, without gaps */
SHMEMU_C int __shmemu_collect(shmem_team_t team, void* dest, const void* source, size_t bytes);
SHMEMU_C int __shmemu_alltoalls(shmem_team_t team, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,
                                size_t nelems, size_t element_bytes);

#define SHMEMU_MOVES(PREFIX, SUFFIX, TYPE, BYTES)                                                                      \
  SHMEMU_SHMEM int shmem_##PREFIX##broadcast##SUFFIX(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems, \
                                                     int root) {                                                       \
    return __shmemu_collective(SHMEMU_COLL_BROADCAST, team, dest, source, nelems, BYTES, 0, 0, root, SHMEMU_THREAD);   \
  }                                                                                                                    \
  SHMEMU_SHMEM int shmem_##PREFIX##fcollect##SUFFIX(shmem_team_t team, TYPE* dest, const TYPE* source,                 \
                                                    size_t nelems) {                                                   \
    return __shmemu_collective(SHMEMU_COLL_FCOLLECT, team, dest, source, nelems, BYTES, 0, 0, 0, SHMEMU_THREAD);       \
  }                                                                                                                    \
  SHMEMU_SHMEM int shmem_##PREFIX##collect##SUFFIX(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) { \
    return __shmemu_collect(team, dest, source, nelems * BYTES);                                                       \
  }                                                                                                                    \
  SHMEMU_SHMEM int shmem_##PREFIX##alltoall##SUFFIX(shmem_team_t team, TYPE* dest, const TYPE* source,                 \
                                                    size_t nelems) {                                                   \
    return __shmemu_collective(SHMEMU_COLL_ALLTOALL, team, dest, source, nelems, BYTES, 0, 0, 0, SHMEMU_THREAD);       \
  }                                                                                                                    \
  SHMEMU_SHMEM int shmem_##PREFIX##alltoalls##SUFFIX(shmem_team_t team, TYPE* dest, const TYPE* source, ptrdiff_t dst, \
                                                     ptrdiff_t sst, size_t nelems) {                                   \
    return __shmemu_alltoalls(team, dest, source, dst, sst, nelems, BYTES);                                            \
  }
#define SHMEMU_X(NAME, TYPE) SHMEMU_MOVES(NAME##_, , TYPE, sizeof(TYPE))
SHMEMU_SHMEM_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X
SHMEMU_MOVES(, mem, void, 1)
#undef SHMEMU_MOVES

/* and, or, xor: bitwise types; max, min: all but complex; sum, prod: all */
#define SHMEMU_REDUCTION(NAME, TYPE, WORD, OP)                                                                         \
  SHMEMU_SHMEM int shmem_##NAME##_##WORD##_reduce(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nreduce) { \
    return __shmemu_collective(SHMEMU_COLL_REDUCE, team, dest, source, nreduce, sizeof(TYPE), SHMEMU_E_##NAME, OP, 0,  \
                               SHMEMU_THREAD);                                                                         \
  }
#define SHMEMU_X(NAME, TYPE)                    \
  SHMEMU_REDUCTION(NAME, TYPE, and, SHMEMU_AND) \
  SHMEMU_REDUCTION(NAME, TYPE, or, SHMEMU_OR)   \
  SHMEMU_REDUCTION(NAME, TYPE, xor, SHMEMU_XOR)
SHMEMU_SHMEM_BITWISE_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE) SHMEMU_REDUCTION(NAME, TYPE, max, SHMEMU_MAX) SHMEMU_REDUCTION(NAME, TYPE, min, SHMEMU_MIN)
SHMEMU_SHMEM_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE) \
  SHMEMU_REDUCTION(NAME, TYPE, sum, SHMEMU_SUM) SHMEMU_REDUCTION(NAME, TYPE, prod, SHMEMU_PROD)
SHMEMU_SHMEM_RMA_TYPES(SHMEMU_X)
SHMEMU_SHMEM_COMPLEX_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_REDUCTION
#endif
