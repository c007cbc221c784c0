/* OpenSHMEM 1.5: type-generic names of C11. The first argument is a context or a pointer to the element type; the team
 * collectives look at their second. C++ has overloads (overloads.h).
 */
#ifndef SHMEMU_SHMEM_GENERICS_H
#define SHMEMU_SHMEM_GENERICS_H
#include "active_sets.h"
#include "waits.h"

#ifdef __cplusplus
SHMEMU_SHMEM int shmem_sync(shmem_team_t team) { return shmem_team_sync(team); }
SHMEMU_SHMEM void shmem_sync(int PE_start, int logPE_stride, int PE_size, long* pSync) {
  __shmemu_set_sync(PE_start, logPE_stride, PE_size, pSync);
}
#else
/* by the number of arguments: a team, or an active set */
#define shmem_sync(...) SHMEMU_SYNC_OF(__VA_ARGS__, __shmemu_set_sync, , , shmem_team_sync, )(__VA_ARGS__)
#define SHMEMU_SYNC_OF(a, b, c, d, name, ...) name
#endif

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define SHMEMU_SHMEM_AMO_X_TYPES(X) SHMEMU_SHMEM_AMO_C_TYPES(X) SHMEMU_SHMEM_AMO_FLOAT_TYPES(X)
#define SHMEMU_SHMEM_SUM_TYPES(X) SHMEMU_SHMEM_C_TYPES(X) SHMEMU_SHMEM_COMPLEX_TYPES(X)
static inline void __shmemu_no_such_type(void) {}
#define SHMEMU_FIRST(a, ...) a
#define SHMEMU_SECOND(a, b, ...) b

/* one association per way to qualify the pointer */
#define SHMEMU_CASE(TYPE, FUNCTION) TYPE* : FUNCTION, const TYPE* : FUNCTION, volatile TYPE* : FUNCTION,
/* the inner choice is for calls with a context */
#define SHMEMU_PICK(TYPES, PLAIN, WITH_CONTEXT, ...)                                  \
  _Generic((SHMEMU_FIRST(__VA_ARGS__, 0)), shmem_ctx_t                                \
           : _Generic((SHMEMU_SECOND(__VA_ARGS__, 0, 0)), TYPES(WITH_CONTEXT) default \
                      : __shmemu_no_such_type),                                       \
             TYPES(PLAIN) default                                                     \
           : __shmemu_no_such_type)(__VA_ARGS__)
#define SHMEMU_PICK_ON(ARGUMENT, TYPES, PLAIN, ...) \
  _Generic((ARGUMENT), TYPES(PLAIN) default : __shmemu_no_such_type)(__VA_ARGS__)

#define SHMEMU_G_put(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_put)
#define SHMEMU_C_put(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_put)
#define shmem_put(...) SHMEMU_PICK(SHMEMU_SHMEM_C_TYPES, SHMEMU_G_put, SHMEMU_C_put, __VA_ARGS__)
#define SHMEMU_G_get(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_get)
#define SHMEMU_C_get(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_get)
#define shmem_get(...) SHMEMU_PICK(SHMEMU_SHMEM_C_TYPES, SHMEMU_G_get, SHMEMU_C_get, __VA_ARGS__)
#define SHMEMU_G_put_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_put_nbi)
#define SHMEMU_C_put_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_put_nbi)
#define shmem_put_nbi(...) SHMEMU_PICK(SHMEMU_SHMEM_C_TYPES, SHMEMU_G_put_nbi, SHMEMU_C_put_nbi, __VA_ARGS__)
#define SHMEMU_G_get_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_get_nbi)
#define SHMEMU_C_get_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_get_nbi)
#define shmem_get_nbi(...) SHMEMU_PICK(SHMEMU_SHMEM_C_TYPES, SHMEMU_G_get_nbi, SHMEMU_C_get_nbi, __VA_ARGS__)
#define SHMEMU_G_iput(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_iput)
#define SHMEMU_C_iput(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_iput)
#define shmem_iput(...) SHMEMU_PICK(SHMEMU_SHMEM_C_TYPES, SHMEMU_G_iput, SHMEMU_C_iput, __VA_ARGS__)
#define SHMEMU_G_iget(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_iget)
#define SHMEMU_C_iget(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_iget)
#define shmem_iget(...) SHMEMU_PICK(SHMEMU_SHMEM_C_TYPES, SHMEMU_G_iget, SHMEMU_C_iget, __VA_ARGS__)
#define SHMEMU_G_put_signal(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_put_signal)
#define SHMEMU_C_put_signal(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_put_signal)
#define shmem_put_signal(...) SHMEMU_PICK(SHMEMU_SHMEM_C_TYPES, SHMEMU_G_put_signal, SHMEMU_C_put_signal, __VA_ARGS__)
#define SHMEMU_G_put_signal_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_put_signal_nbi)
#define SHMEMU_C_put_signal_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_put_signal_nbi)
#define shmem_put_signal_nbi(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_C_TYPES, SHMEMU_G_put_signal_nbi, SHMEMU_C_put_signal_nbi, __VA_ARGS__)
#define SHMEMU_G_p(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_p)
#define SHMEMU_C_p(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_p)
#define shmem_p(...) SHMEMU_PICK(SHMEMU_SHMEM_C_TYPES, SHMEMU_G_p, SHMEMU_C_p, __VA_ARGS__)
#define SHMEMU_G_g(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_g)
#define SHMEMU_C_g(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_g)
#define shmem_g(...) SHMEMU_PICK(SHMEMU_SHMEM_C_TYPES, SHMEMU_G_g, SHMEMU_C_g, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch)
#define SHMEMU_C_atomic_fetch(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch)
#define shmem_atomic_fetch(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_X_TYPES, SHMEMU_G_atomic_fetch, SHMEMU_C_atomic_fetch, __VA_ARGS__)
#define SHMEMU_G_atomic_set(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_set)
#define SHMEMU_C_atomic_set(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_set)
#define shmem_atomic_set(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_X_TYPES, SHMEMU_G_atomic_set, SHMEMU_C_atomic_set, __VA_ARGS__)
#define SHMEMU_G_atomic_swap(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_swap)
#define SHMEMU_C_atomic_swap(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_swap)
#define shmem_atomic_swap(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_X_TYPES, SHMEMU_G_atomic_swap, SHMEMU_C_atomic_swap, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_nbi)
#define SHMEMU_C_atomic_fetch_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_nbi)
#define shmem_atomic_fetch_nbi(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_X_TYPES, SHMEMU_G_atomic_fetch_nbi, SHMEMU_C_atomic_fetch_nbi, __VA_ARGS__)
#define SHMEMU_G_atomic_swap_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_swap_nbi)
#define SHMEMU_C_atomic_swap_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_swap_nbi)
#define shmem_atomic_swap_nbi(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_X_TYPES, SHMEMU_G_atomic_swap_nbi, SHMEMU_C_atomic_swap_nbi, __VA_ARGS__)
#define SHMEMU_G_atomic_compare_swap(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_compare_swap)
#define SHMEMU_C_atomic_compare_swap(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_compare_swap)
#define shmem_atomic_compare_swap(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_C_TYPES, SHMEMU_G_atomic_compare_swap, SHMEMU_C_atomic_compare_swap, __VA_ARGS__)
#define SHMEMU_G_atomic_add(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_add)
#define SHMEMU_C_atomic_add(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_add)
#define shmem_atomic_add(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_C_TYPES, SHMEMU_G_atomic_add, SHMEMU_C_atomic_add, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_add(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_add)
#define SHMEMU_C_atomic_fetch_add(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_add)
#define shmem_atomic_fetch_add(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_C_TYPES, SHMEMU_G_atomic_fetch_add, SHMEMU_C_atomic_fetch_add, __VA_ARGS__)
#define SHMEMU_G_atomic_inc(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_inc)
#define SHMEMU_C_atomic_inc(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_inc)
#define shmem_atomic_inc(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_C_TYPES, SHMEMU_G_atomic_inc, SHMEMU_C_atomic_inc, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_inc(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_inc)
#define SHMEMU_C_atomic_fetch_inc(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_inc)
#define shmem_atomic_fetch_inc(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_C_TYPES, SHMEMU_G_atomic_fetch_inc, SHMEMU_C_atomic_fetch_inc, __VA_ARGS__)
#define SHMEMU_G_atomic_compare_swap_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_compare_swap_nbi)
#define SHMEMU_C_atomic_compare_swap_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_compare_swap_nbi)
#define shmem_atomic_compare_swap_nbi(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_C_TYPES, SHMEMU_G_atomic_compare_swap_nbi, SHMEMU_C_atomic_compare_swap_nbi, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_add_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_add_nbi)
#define SHMEMU_C_atomic_fetch_add_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_add_nbi)
#define shmem_atomic_fetch_add_nbi(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_C_TYPES, SHMEMU_G_atomic_fetch_add_nbi, SHMEMU_C_atomic_fetch_add_nbi, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_inc_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_inc_nbi)
#define SHMEMU_C_atomic_fetch_inc_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_inc_nbi)
#define shmem_atomic_fetch_inc_nbi(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_C_TYPES, SHMEMU_G_atomic_fetch_inc_nbi, SHMEMU_C_atomic_fetch_inc_nbi, __VA_ARGS__)
#define SHMEMU_G_atomic_and(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_and)
#define SHMEMU_C_atomic_and(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_and)
#define shmem_atomic_and(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_BITWISE_C_TYPES, SHMEMU_G_atomic_and, SHMEMU_C_atomic_and, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_and(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_and)
#define SHMEMU_C_atomic_fetch_and(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_and)
#define shmem_atomic_fetch_and(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_BITWISE_C_TYPES, SHMEMU_G_atomic_fetch_and, SHMEMU_C_atomic_fetch_and, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_and_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_and_nbi)
#define SHMEMU_C_atomic_fetch_and_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_and_nbi)
#define shmem_atomic_fetch_and_nbi(...)                                                                       \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_BITWISE_C_TYPES, SHMEMU_G_atomic_fetch_and_nbi, SHMEMU_C_atomic_fetch_and_nbi, \
              __VA_ARGS__)
#define SHMEMU_G_atomic_or(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_or)
#define SHMEMU_C_atomic_or(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_or)
#define shmem_atomic_or(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_BITWISE_C_TYPES, SHMEMU_G_atomic_or, SHMEMU_C_atomic_or, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_or(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_or)
#define SHMEMU_C_atomic_fetch_or(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_or)
#define shmem_atomic_fetch_or(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_BITWISE_C_TYPES, SHMEMU_G_atomic_fetch_or, SHMEMU_C_atomic_fetch_or, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_or_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_or_nbi)
#define SHMEMU_C_atomic_fetch_or_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_or_nbi)
#define shmem_atomic_fetch_or_nbi(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_BITWISE_C_TYPES, SHMEMU_G_atomic_fetch_or_nbi, SHMEMU_C_atomic_fetch_or_nbi, __VA_ARGS__)
#define SHMEMU_G_atomic_xor(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_xor)
#define SHMEMU_C_atomic_xor(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_xor)
#define shmem_atomic_xor(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_BITWISE_C_TYPES, SHMEMU_G_atomic_xor, SHMEMU_C_atomic_xor, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_xor(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_xor)
#define SHMEMU_C_atomic_fetch_xor(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_xor)
#define shmem_atomic_fetch_xor(...) \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_BITWISE_C_TYPES, SHMEMU_G_atomic_fetch_xor, SHMEMU_C_atomic_fetch_xor, __VA_ARGS__)
#define SHMEMU_G_atomic_fetch_xor_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_atomic_fetch_xor_nbi)
#define SHMEMU_C_atomic_fetch_xor_nbi(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_ctx_##NAME##_atomic_fetch_xor_nbi)
#define shmem_atomic_fetch_xor_nbi(...)                                                                       \
  SHMEMU_PICK(SHMEMU_SHMEM_AMO_BITWISE_C_TYPES, SHMEMU_G_atomic_fetch_xor_nbi, SHMEMU_C_atomic_fetch_xor_nbi, \
              __VA_ARGS__)

/* ---- waits and tests ---- */
#define SHMEMU_G_wait_until(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_wait_until)
#define shmem_wait_until(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_wait_until, first, __VA_ARGS__)
#define SHMEMU_G_wait_until_all(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_wait_until_all)
#define shmem_wait_until_all(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_wait_until_all, first, __VA_ARGS__)
#define SHMEMU_G_wait_until_any(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_wait_until_any)
#define shmem_wait_until_any(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_wait_until_any, first, __VA_ARGS__)
#define SHMEMU_G_wait_until_some(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_wait_until_some)
#define shmem_wait_until_some(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_wait_until_some, first, __VA_ARGS__)
#define SHMEMU_G_wait_until_all_vector(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_wait_until_all_vector)
#define shmem_wait_until_all_vector(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_wait_until_all_vector, first, __VA_ARGS__)
#define SHMEMU_G_wait_until_any_vector(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_wait_until_any_vector)
#define shmem_wait_until_any_vector(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_wait_until_any_vector, first, __VA_ARGS__)
#define SHMEMU_G_wait_until_some_vector(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_wait_until_some_vector)
#define shmem_wait_until_some_vector(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_wait_until_some_vector, first, __VA_ARGS__)
#define SHMEMU_G_test(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_test)
#define shmem_test(first, ...) SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_test, first, __VA_ARGS__)
#define SHMEMU_G_test_all(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_test_all)
#define shmem_test_all(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_test_all, first, __VA_ARGS__)
#define SHMEMU_G_test_any(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_test_any)
#define shmem_test_any(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_test_any, first, __VA_ARGS__)
#define SHMEMU_G_test_some(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_test_some)
#define shmem_test_some(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_test_some, first, __VA_ARGS__)
#define SHMEMU_G_test_all_vector(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_test_all_vector)
#define shmem_test_all_vector(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_test_all_vector, first, __VA_ARGS__)
#define SHMEMU_G_test_any_vector(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_test_any_vector)
#define shmem_test_any_vector(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_test_any_vector, first, __VA_ARGS__)
#define SHMEMU_G_test_some_vector(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_test_some_vector)
#define shmem_test_some_vector(first, ...) \
  SHMEMU_PICK_ON(first, SHMEMU_SHMEM_WAIT_C_TYPES, SHMEMU_G_test_some_vector, first, __VA_ARGS__)

/* ---- team collectives ---- */
#define SHMEMU_G_broadcast(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_broadcast)
#define shmem_broadcast(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_C_TYPES, SHMEMU_G_broadcast, team, dest, __VA_ARGS__)
#define SHMEMU_G_fcollect(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_fcollect)
#define shmem_fcollect(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_C_TYPES, SHMEMU_G_fcollect, team, dest, __VA_ARGS__)
#define SHMEMU_G_collect(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_collect)
#define shmem_collect(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_C_TYPES, SHMEMU_G_collect, team, dest, __VA_ARGS__)
#define SHMEMU_G_alltoall(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_alltoall)
#define shmem_alltoall(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_C_TYPES, SHMEMU_G_alltoall, team, dest, __VA_ARGS__)
#define SHMEMU_G_alltoalls(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_alltoalls)
#define shmem_alltoalls(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_C_TYPES, SHMEMU_G_alltoalls, team, dest, __VA_ARGS__)
#define SHMEMU_G_and_reduce(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_and_reduce)
#define shmem_and_reduce(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_BITWISE_C_TYPES, SHMEMU_G_and_reduce, team, dest, __VA_ARGS__)
#define SHMEMU_G_or_reduce(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_or_reduce)
#define shmem_or_reduce(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_BITWISE_C_TYPES, SHMEMU_G_or_reduce, team, dest, __VA_ARGS__)
#define SHMEMU_G_xor_reduce(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_xor_reduce)
#define shmem_xor_reduce(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_BITWISE_C_TYPES, SHMEMU_G_xor_reduce, team, dest, __VA_ARGS__)
#define SHMEMU_G_max_reduce(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_max_reduce)
#define shmem_max_reduce(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_C_TYPES, SHMEMU_G_max_reduce, team, dest, __VA_ARGS__)
#define SHMEMU_G_min_reduce(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_min_reduce)
#define shmem_min_reduce(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_C_TYPES, SHMEMU_G_min_reduce, team, dest, __VA_ARGS__)
#define SHMEMU_G_sum_reduce(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_sum_reduce)
#define shmem_sum_reduce(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_SUM_TYPES, SHMEMU_G_sum_reduce, team, dest, __VA_ARGS__)
#define SHMEMU_G_prod_reduce(NAME, TYPE) SHMEMU_CASE(TYPE, shmem_##NAME##_prod_reduce)
#define shmem_prod_reduce(team, dest, ...) \
  SHMEMU_PICK_ON(dest, SHMEMU_SHMEM_SUM_TYPES, SHMEMU_G_prod_reduce, team, dest, __VA_ARGS__)
#endif
#endif
