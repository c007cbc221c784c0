/* OpenSHMEM's type-generic names as overloads in C++: what generics.h gives in C11. Functions whose name takes no type;
 * those of the chapters RMA, atomics and signals also with a context first. Complex types have only their typed names.
 */
#ifndef SHMEMU_SHMEM_OVERLOADS_H
#define SHMEMU_SHMEM_OVERLOADS_H
#include "active_sets.h"
#include "collectives.h"
#include "waits.h"

#ifdef __cplusplus
#define SHMEMU_ALL(...) __VA_ARGS__
#define SHMEMU_PLAIN(RESULT, NAME, WORD, PARAMETERS, ARGUMENTS) \
  SHMEMU_SHMEM RESULT shmem_##WORD PARAMETERS { return shmem_##NAME##_##WORD ARGUMENTS; }
#define SHMEMU_WITH(RESULT, NAME, WORD, PARAMETERS, ARGUMENTS)               \
  SHMEMU_PLAIN(RESULT, NAME, WORD, PARAMETERS, ARGUMENTS)                    \
  SHMEMU_SHMEM RESULT shmem_##WORD(shmem_ctx_t ctx, SHMEMU_ALL PARAMETERS) { \
    return shmem_ctx_##NAME##_##WORD(ctx, SHMEMU_ALL ARGUMENTS);             \
  }

/* ---- RMA and signals ---- */
#define SHMEMU_MOVE(NAME, TYPE, WORD) \
  SHMEMU_WITH(void, NAME, WORD, (TYPE * dest, const TYPE* source, size_t nelems, int pe), (dest, source, nelems, pe))
#define SHMEMU_STRIDE(NAME, TYPE, WORD)                                                               \
  SHMEMU_WITH(void, NAME, WORD,                                                                       \
              (TYPE * dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), \
              (dest, source, dst, sst, nelems, pe))
#define SHMEMU_SIGNALLED(NAME, TYPE, WORD)                                                                       \
  SHMEMU_WITH(                                                                                                   \
      void, NAME, WORD,                                                                                          \
      (TYPE * dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe), \
      (dest, source, nelems, sig_addr, signal, sig_op, pe))
#define SHMEMU_X(NAME, TYPE)                                                       \
  SHMEMU_MOVE(NAME, TYPE, put)                                                     \
  SHMEMU_MOVE(NAME, TYPE, get)                                                     \
  SHMEMU_MOVE(NAME, TYPE, put_nbi)                                                 \
  SHMEMU_MOVE(NAME, TYPE, get_nbi)                                                 \
  SHMEMU_STRIDE(NAME, TYPE, iput)                                                  \
  SHMEMU_STRIDE(NAME, TYPE, iget)                                                  \
  SHMEMU_SIGNALLED(NAME, TYPE, put_signal)                                         \
  SHMEMU_SIGNALLED(NAME, TYPE, put_signal_nbi)                                     \
  SHMEMU_WITH(void, NAME, p, (TYPE * dest, TYPE value, int pe), (dest, value, pe)) \
  SHMEMU_WITH(TYPE, NAME, g, (const TYPE* source, int pe), (source, pe))
SHMEMU_SHMEM_C_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_MOVE
#undef SHMEMU_STRIDE
#undef SHMEMU_SIGNALLED

/* ---- atomics ---- */
#define SHMEMU_X(NAME, TYPE)                                                                                 \
  SHMEMU_WITH(TYPE, NAME, atomic_fetch, (const TYPE* source, int pe), (source, pe))                          \
  SHMEMU_WITH(void, NAME, atomic_set, (TYPE * dest, TYPE value, int pe), (dest, value, pe))                  \
  SHMEMU_WITH(TYPE, NAME, atomic_swap, (TYPE * dest, TYPE value, int pe), (dest, value, pe))                 \
  SHMEMU_WITH(void, NAME, atomic_fetch_nbi, (TYPE * fetch, const TYPE* source, int pe), (fetch, source, pe)) \
  SHMEMU_WITH(void, NAME, atomic_swap_nbi, (TYPE * fetch, TYPE * dest, TYPE value, int pe), (fetch, dest, value, pe))
SHMEMU_SHMEM_AMO_C_TYPES(SHMEMU_X)
SHMEMU_SHMEM_AMO_FLOAT_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE)                                                                                          \
  SHMEMU_WITH(TYPE, NAME, atomic_compare_swap, (TYPE * dest, TYPE cond, TYPE value, int pe), (dest, cond, value, pe)) \
  SHMEMU_WITH(void, NAME, atomic_compare_swap_nbi, (TYPE * fetch, TYPE * dest, TYPE cond, TYPE value, int pe),        \
              (fetch, dest, cond, value, pe))                                                                         \
  SHMEMU_WITH(void, NAME, atomic_inc, (TYPE * dest, int pe), (dest, pe))                                              \
  SHMEMU_WITH(TYPE, NAME, atomic_fetch_inc, (TYPE * dest, int pe), (dest, pe))                                        \
  SHMEMU_WITH(void, NAME, atomic_fetch_inc_nbi, (TYPE * fetch, TYPE * dest, int pe), (fetch, dest, pe))               \
  SHMEMU_WITH(void, NAME, atomic_add, (TYPE * dest, TYPE value, int pe), (dest, value, pe))                           \
  SHMEMU_WITH(TYPE, NAME, atomic_fetch_add, (TYPE * dest, TYPE value, int pe), (dest, value, pe))                     \
  SHMEMU_WITH(void, NAME, atomic_fetch_add_nbi, (TYPE * fetch, TYPE * dest, TYPE value, int pe),                      \
              (fetch, dest, value, pe))
SHMEMU_SHMEM_AMO_C_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_BITS(NAME, TYPE, WORD)                                                                 \
  SHMEMU_WITH(void, NAME, atomic_##WORD, (TYPE * dest, TYPE value, int pe), (dest, value, pe))        \
  SHMEMU_WITH(TYPE, NAME, atomic_fetch_##WORD, (TYPE * dest, TYPE value, int pe), (dest, value, pe))  \
  SHMEMU_WITH(void, NAME, atomic_fetch_##WORD##_nbi, (TYPE * fetch, TYPE * dest, TYPE value, int pe), \
              (fetch, dest, value, pe))
#define SHMEMU_X(NAME, TYPE)   \
  SHMEMU_BITS(NAME, TYPE, and) \
  SHMEMU_BITS(NAME, TYPE, or)  \
  SHMEMU_BITS(NAME, TYPE, xor)
SHMEMU_SHMEM_AMO_BITWISE_C_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_BITS

/* ---- waits and tests ---- */
#define SHMEMU_SET(RESULT, NAME, TYPE, WORD)                                                                         \
  SHMEMU_PLAIN(RESULT, NAME, WORD, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE value),            \
               (ivars, nelems, status, cmp, value))                                                                  \
  SHMEMU_PLAIN(RESULT, NAME, WORD##_vector, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE* values), \
               (ivars, nelems, status, cmp, values))
#define SHMEMU_SOME(NAME, TYPE, WORD)                                                                     \
  SHMEMU_PLAIN(size_t, NAME, WORD,                                                                        \
               (TYPE * ivars, size_t nelems, size_t * indices, const int* status, int cmp, TYPE value),   \
               (ivars, nelems, indices, status, cmp, value))                                              \
  SHMEMU_PLAIN(size_t, NAME, WORD##_vector,                                                               \
               (TYPE * ivars, size_t nelems, size_t * indices, const int* status, int cmp, TYPE* values), \
               (ivars, nelems, indices, status, cmp, values))
#define SHMEMU_X(NAME, TYPE)                                                                            \
  SHMEMU_PLAIN(void, NAME, wait_until, (volatile TYPE * ivar, int cmp, TYPE value), (ivar, cmp, value)) \
  SHMEMU_PLAIN(int, NAME, test, (volatile TYPE * ivar, int cmp, TYPE value), (ivar, cmp, value))        \
  SHMEMU_SET(void, NAME, TYPE, wait_until_all)                                                          \
  SHMEMU_SET(size_t, NAME, TYPE, wait_until_any)                                                        \
  SHMEMU_SOME(NAME, TYPE, wait_until_some)                                                              \
  SHMEMU_SET(int, NAME, TYPE, test_all)                                                                 \
  SHMEMU_SET(size_t, NAME, TYPE, test_any)                                                              \
  SHMEMU_SOME(NAME, TYPE, test_some)
SHMEMU_SHMEM_WAIT_C_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_SET
#undef SHMEMU_SOME

/* ---- team collectives ---- */
#define SHMEMU_TEAM(NAME, TYPE, WORD)                                                                \
  SHMEMU_PLAIN(int, NAME, WORD, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems), \
               (team, dest, source, nelems))
#define SHMEMU_X(NAME, TYPE)                                                                                        \
  SHMEMU_PLAIN(int, NAME, broadcast, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems, int root), \
               (team, dest, source, nelems, root))                                                                  \
  SHMEMU_PLAIN(int, NAME, alltoalls,                                                                                \
               (shmem_team_t team, TYPE * dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems),   \
               (team, dest, source, dst, sst, nelems))                                                              \
  SHMEMU_TEAM(NAME, TYPE, fcollect)                                                                                 \
  SHMEMU_TEAM(NAME, TYPE, collect)                                                                                  \
  SHMEMU_TEAM(NAME, TYPE, alltoall)                                                                                 \
  SHMEMU_TEAM(NAME, TYPE, max_reduce)                                                                               \
  SHMEMU_TEAM(NAME, TYPE, min_reduce)                                                                               \
  SHMEMU_TEAM(NAME, TYPE, sum_reduce)                                                                               \
  SHMEMU_TEAM(NAME, TYPE, prod_reduce)
SHMEMU_SHMEM_C_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(NAME, TYPE)          \
  SHMEMU_TEAM(NAME, TYPE, and_reduce) \
  SHMEMU_TEAM(NAME, TYPE, or_reduce)  \
  SHMEMU_TEAM(NAME, TYPE, xor_reduce)
SHMEMU_SHMEM_BITWISE_C_TYPES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_TEAM
#undef SHMEMU_WITH
#undef SHMEMU_PLAIN
#undef SHMEMU_ALL
#endif
#endif
