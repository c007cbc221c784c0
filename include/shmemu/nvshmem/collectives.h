/* Chapter 13: collectives of a team: barrier, sync, broadcast, fcollect, alltoall, reduce, reducescatter.
 *
 * Every member calls, in the same order on a team; every thread of the scope calls with equal arguments; one
 * collective per team at a time. barrier completes the caller's operations first, sync does not. mem forms count bytes.
 * on_stream forms are in on_stream.h.
 */
#ifndef SHMEMU_NVSHMEM_COLLECTIVES_H
#define SHMEMU_NVSHMEM_COLLECTIVES_H
#include "types_constants.h"

/* ---- the four shapes of a call ---- */
#define SHMEMU_COLL_TEAM(HOW, FUNCTION, KIND, SCOPE) \
  HOW int FUNCTION(nvshmem_team_t team) { return __shmemu_collective(KIND, team, NULL, NULL, 0, 0, 0, 0, 0, SCOPE); }
#define SHMEMU_COLL_WORLD(HOW, FUNCTION, KIND, SCOPE) \
  HOW void FUNCTION(void) { (void)__shmemu_collective(KIND, NVSHMEM_TEAM_WORLD, NULL, NULL, 0, 0, 0, 0, 0, SCOPE); }
#define SHMEMU_COLL_DATA(HOW, FUNCTION, TYPE, BYTES, KIND, ELEMENT, OP, SCOPE)                  \
  HOW int FUNCTION(nvshmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) {        \
    return __shmemu_collective(KIND, team, dest, source, nelems, BYTES, ELEMENT, OP, 0, SCOPE); \
  }
#define SHMEMU_COLL_ROOT(HOW, FUNCTION, TYPE, BYTES, KIND, SCOPE)                                     \
  HOW int FUNCTION(nvshmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems, int PE_root) { \
    return __shmemu_collective(KIND, team, dest, source, nelems, BYTES, 0, 0, PE_root, SCOPE);        \
  }

/* ---- what one scope has: PREFIX nvshmem or nvshmemx, SUFFIX empty, _warp or _block ---- */
#define SHMEMU_COLL_MOVE(HOW, PREFIX, NAME, SUFFIX, TYPE, BYTES, SCOPE)                                    \
  SHMEMU_COLL_ROOT(HOW, PREFIX##_##NAME##broadcast##SUFFIX, TYPE, BYTES, SHMEMU_COLL_BROADCAST, SCOPE)     \
  SHMEMU_COLL_DATA(HOW, PREFIX##_##NAME##fcollect##SUFFIX, TYPE, BYTES, SHMEMU_COLL_FCOLLECT, 0, 0, SCOPE) \
  SHMEMU_COLL_DATA(HOW, PREFIX##_##NAME##alltoall##SUFFIX, TYPE, BYTES, SHMEMU_COLL_ALLTOALL, 0, 0, SCOPE)
#define SHMEMU_COLL_REDUCE_(HOW, PREFIX, NAME, SUFFIX, TYPE, WORD, OP, SCOPE)                              \
  SHMEMU_COLL_DATA(HOW, PREFIX##_##NAME##_##WORD##_reduce##SUFFIX, TYPE, sizeof(TYPE), SHMEMU_COLL_REDUCE, \
                   SHMEMU_T_##NAME, OP, SCOPE)                                                             \
  SHMEMU_COLL_DATA(HOW, PREFIX##_##NAME##_##WORD##_reducescatter##SUFFIX, TYPE, sizeof(TYPE),              \
                   SHMEMU_COLL_REDUCESCATTER, SHMEMU_T_##NAME, OP, SCOPE)
#define SHMEMU_COLL_REDUCE_BITWISE(HOW, PREFIX, NAME, SUFFIX, TYPE, SCOPE)     \
  SHMEMU_COLL_REDUCE_(HOW, PREFIX, NAME, SUFFIX, TYPE, and, SHMEMU_AND, SCOPE) \
  SHMEMU_COLL_REDUCE_(HOW, PREFIX, NAME, SUFFIX, TYPE, or, SHMEMU_OR, SCOPE)   \
  SHMEMU_COLL_REDUCE_(HOW, PREFIX, NAME, SUFFIX, TYPE, xor, SHMEMU_XOR, SCOPE)
#define SHMEMU_COLL_REDUCE_ARITH(HOW, PREFIX, NAME, SUFFIX, TYPE, SCOPE)         \
  SHMEMU_COLL_REDUCE_(HOW, PREFIX, NAME, SUFFIX, TYPE, sum, SHMEMU_SUM, SCOPE)   \
  SHMEMU_COLL_REDUCE_(HOW, PREFIX, NAME, SUFFIX, TYPE, prod, SHMEMU_PROD, SCOPE) \
  SHMEMU_COLL_REDUCE_(HOW, PREFIX, NAME, SUFFIX, TYPE, min, SHMEMU_MIN, SCOPE)   \
  SHMEMU_COLL_REDUCE_(HOW, PREFIX, NAME, SUFFIX, TYPE, max, SHMEMU_MAX, SCOPE)
#define SHMEMU_COLL_UNTYPED(HOW, PREFIX, SUFFIX, SCOPE)                                           \
  SHMEMU_COLL_TEAM(HOW, PREFIX##_barrier##SUFFIX, SHMEMU_COLL_BARRIER, SCOPE)                     \
  SHMEMU_COLL_WORLD(HOW, PREFIX##_barrier_all##SUFFIX, SHMEMU_COLL_BARRIER, SCOPE)                \
  SHMEMU_COLL_TEAM(HOW, PREFIX##_team_sync##SUFFIX, SHMEMU_COLL_SYNC, SCOPE)                      \
  SHMEMU_COLL_WORLD(HOW, PREFIX##_sync_all##SUFFIX, SHMEMU_COLL_SYNC, SCOPE)                      \
  SHMEMU_COLL_ROOT(HOW, PREFIX##_broadcastmem##SUFFIX, void, 1, SHMEMU_COLL_BROADCAST, SCOPE)     \
  SHMEMU_COLL_DATA(HOW, PREFIX##_fcollectmem##SUFFIX, void, 1, SHMEMU_COLL_FCOLLECT, 0, 0, SCOPE) \
  SHMEMU_COLL_DATA(HOW, PREFIX##_alltoallmem##SUFFIX, void, 1, SHMEMU_COLL_ALLTOALL, 0, 0, SCOPE)

/* ---- thread scope, host and device ---- */
SHMEMU_COLL_UNTYPED(SHMEMU_WRAP, nvshmem, , SHMEMU_THREAD)
#define SHMEMU_X(NAME, TYPE) SHMEMU_COLL_MOVE(SHMEMU_WRAP, nvshmem, NAME##_, , TYPE, sizeof(TYPE), SHMEMU_THREAD)
SHMEMU_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE) SHMEMU_COLL_REDUCE_BITWISE(SHMEMU_WRAP, nvshmem, NAME, , TYPE, SHMEMU_THREAD)
SHMEMU_REDUCE_BITWISE_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE) SHMEMU_COLL_REDUCE_ARITH(SHMEMU_WRAP, nvshmem, NAME, , TYPE, SHMEMU_THREAD)
SHMEMU_REDUCE_TYPES(SHMEMU_X)
#undef SHMEMU_X

#if SHMEMU_DEVICE_NAMES
/* ---- warp and block scope ---- */
SHMEMU_COLL_UNTYPED(SHMEMU_WRAP_D, nvshmemx, _warp, SHMEMU_WARP)
SHMEMU_COLL_UNTYPED(SHMEMU_WRAP_D, nvshmemx, _block, SHMEMU_BLOCK)
#define SHMEMU_X(NAME, TYPE)                                                                 \
  SHMEMU_COLL_MOVE(SHMEMU_WRAP_D, nvshmemx, NAME##_, _warp, TYPE, sizeof(TYPE), SHMEMU_WARP) \
  SHMEMU_COLL_MOVE(SHMEMU_WRAP_D, nvshmemx, NAME##_, _block, TYPE, sizeof(TYPE), SHMEMU_BLOCK)
SHMEMU_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE)                                                          \
  SHMEMU_COLL_REDUCE_BITWISE(SHMEMU_WRAP_D, nvshmemx, NAME, _warp, TYPE, SHMEMU_WARP) \
  SHMEMU_COLL_REDUCE_BITWISE(SHMEMU_WRAP_D, nvshmemx, NAME, _block, TYPE, SHMEMU_BLOCK)
SHMEMU_REDUCE_BITWISE_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE)                                                        \
  SHMEMU_COLL_REDUCE_ARITH(SHMEMU_WRAP_D, nvshmemx, NAME, _warp, TYPE, SHMEMU_WARP) \
  SHMEMU_COLL_REDUCE_ARITH(SHMEMU_WRAP_D, nvshmemx, NAME, _block, TYPE, SHMEMU_BLOCK)
SHMEMU_REDUCE_TYPES(SHMEMU_X)
#undef SHMEMU_X

SHMEMU_COLL_TEAM(SHMEMU_WRAP_D, nvshmemx_barrier_warpgroup, SHMEMU_COLL_BARRIER, SHMEMU_WARPGROUP)
/* x is the value, y its place: of equal values the smallest place */
SHMEMU_COLL_DATA(SHMEMU_WRAP_D, nvshmemx_double2_maxloc_reduce_block, double2, sizeof(double2), SHMEMU_COLL_REDUCE,
                 SHMEMU_DOUBLE2, SHMEMU_MAXLOC, SHMEMU_BLOCK)
#endif

#define nvshmem_sync nvshmem_team_sync
#define nvshmemx_sync_warp nvshmemx_team_sync_warp
#define nvshmemx_sync_block nvshmemx_team_sync_block

#undef SHMEMU_COLL_TEAM
#undef SHMEMU_COLL_WORLD
#undef SHMEMU_COLL_DATA
#undef SHMEMU_COLL_ROOT
#undef SHMEMU_COLL_MOVE
#undef SHMEMU_COLL_REDUCE_
#undef SHMEMU_COLL_REDUCE_BITWISE
#undef SHMEMU_COLL_REDUCE_ARITH
#undef SHMEMU_COLL_UNTYPED
#endif
