/* What the typed names call, under nvcc: on the device the work and its record, on the host the runtime. */
#ifndef SHMEMU_GPU_CALLS_H
#define SHMEMU_GPU_CALLS_H
#include "collectives.h"
#include "host_calls.h"

#define SHMEMU_GPU_HD SHMEMU_C inline __host__ __device__
#ifdef __CUDA_ARCH__
#define SHMEMU_GPU_SIDE(DEVICE, HOST) DEVICE
#else
#define SHMEMU_GPU_SIDE(DEVICE, HOST) HOST
#endif

#ifdef __CUDA_ARCH__ /* the host pass needs none of it */
namespace shmemu_gpu {

SHMEMU_GPU unsigned long long address(const volatile void* p) { return reinterpret_cast<unsigned long long>(p); }

SHMEMU_GPU void put(void* dest, const void* source, size_t bytes, int pe, int scope, int nbi) {
  Group g(scope);
  Call call(g.leader());
  copy(g, at_peer(static_cast<char*>(dest), pe), source, bytes);
  end_together(g, call, what(SHMEMU_LOG_PUT, scope), nbi ? SHMEMU_LOG_NBI : 0, pe, 0, address(dest), address(source),
               bytes, value_bits(source, bytes), 0);
}
SHMEMU_GPU void get(void* dest, const void* source, size_t bytes, int pe, int scope, int nbi) {
  Group g(scope);
  Call call(g.leader());
  copy(g, dest, at_peer(static_cast<const char*>(source), pe), bytes);
  end_together(g, call, what(SHMEMU_LOG_GET, scope), nbi ? SHMEMU_LOG_NBI : 0, pe, 0, address(source), address(dest),
               bytes, 0, 0);
}
SHMEMU_GPU void strided(int kind, void* dest, const void* source, ptrdiff_t dest_stride, ptrdiff_t source_stride,
                        size_t elements, size_t element_bytes, int pe, int scope) {
  Group g(scope);
  Call call(g.leader());
  bool put = kind == SHMEMU_LOG_IPUT;
  char* to = static_cast<char*>(dest);
  const char* from = static_cast<const char*>(source);
  if (put) to = at_peer(to, pe);
  if (!put) from = at_peer(from, pe);
  ptrdiff_t size = static_cast<ptrdiff_t>(element_bytes);
  for (size_t i = g.index; i < elements; i += g.size)
    copy_value(to + static_cast<ptrdiff_t>(i) * dest_stride * size,
               from + static_cast<ptrdiff_t>(i) * source_stride * size, element_bytes);
  end_together(g, call, what(kind, scope), 0, pe, 0, address(put ? dest : source), address(put ? source : dest),
               elements * element_bytes, 0, 0, static_cast<unsigned>(elements),
               static_cast<int>((put ? dest_stride : source_stride) * size),
               static_cast<int>((put ? source_stride : dest_stride) * size));
}
SHMEMU_GPU void p(void* dest, const void* value, size_t bytes, int pe) {
  Call call(true);
  copy_value(at_peer(static_cast<char*>(dest), pe), value, bytes);
  write_record(call, what(SHMEMU_LOG_P, SHMEMU_THREAD), 0, pe, 0, address(dest), 0, bytes, value_bits(value, bytes), 0);
}
SHMEMU_GPU void g(void* result, const void* source, size_t bytes, int pe) {
  Call call(true);
  copy_value(result, at_peer(static_cast<const char*>(source), pe), bytes);
  write_record(call, what(SHMEMU_LOG_G, SHMEMU_THREAD), 0, pe, 0, address(source), 0, bytes, value_bits(result, bytes),
               0);
}
SHMEMU_GPU void set_signal(uint64_t* at, uint64_t signal, int op) {
  auto* word = reinterpret_cast<unsigned long long*>(at);
  if (op == NVSHMEM_SIGNAL_ADD)
    atomicAdd_system(word, static_cast<unsigned long long>(signal));
  else
    atomicExch_system(word, static_cast<unsigned long long>(signal));
}
SHMEMU_GPU void put_signal(void* dest, const void* source, size_t bytes, uint64_t* signal_address, uint64_t signal,
                           int signal_op, int pe, int scope, int nbi) {
  Group g(scope);
  Call call(g.leader());
  copy(g, at_peer(static_cast<char*>(dest), pe), source, bytes);
  __threadfence_system();
  g.sync();
  if (g.leader()) {
    set_signal(at_peer(signal_address, pe), signal, signal_op);
    write_record(call, what(SHMEMU_LOG_PUT_SIGNAL, scope),
                 (nbi ? SHMEMU_LOG_NBI : 0) | (signal_op == NVSHMEM_SIGNAL_ADD ? SHMEMU_LOG_ADD : 0), pe, 0,
                 address(dest), address(source), bytes, signal, address(signal_address));
  }
}
SHMEMU_GPU void signal_op(uint64_t* signal_address, uint64_t signal, int op, int pe) {
  Call call(true);
  set_signal(at_peer(signal_address, pe), signal, op);
  write_record(call, what(SHMEMU_LOG_SIGNAL, SHMEMU_THREAD), op == NVSHMEM_SIGNAL_ADD ? SHMEMU_LOG_ADD : 0, pe, 0,
               address(signal_address), 0, 8, signal, 0);
}

/* ---- atomics ---- */
template <class T>
SHMEMU_GPU T atomic_word(T* at, int amo, T operand, T compare) {
  switch (amo) {
    case SHMEMU_AMO_ADD:
      return atomicAdd_system(at, operand);
    case SHMEMU_AMO_AND:
      return atomicAnd_system(at, operand);
    case SHMEMU_AMO_OR:
      return atomicOr_system(at, operand);
    case SHMEMU_AMO_XOR:
      return atomicXor_system(at, operand);
    case SHMEMU_AMO_COMPARE_SWAP:
      return atomicCAS_system(at, compare, operand);
    case SHMEMU_AMO_FETCH:
      return *static_cast<volatile T*>(at);
    default:
      return atomicExch_system(at, operand);
  }
}
SHMEMU_GPU uint64_t atomic(void* dest, int amo_and_result, int type, uint64_t operand, uint64_t compare, int pe) {
  Call call(true);
  int amo = amo_and_result & 0xff;
  bool result = amo_and_result & SHMEMU_AMO_RESULT;
  void* at = at_peer(static_cast<char*>(dest), pe);
  uint64_t old;
  if (type == SHMEMU_F32 && amo == SHMEMU_AMO_ADD) {
    old = __float_as_uint(atomicAdd_system(static_cast<float*>(at), __uint_as_float(static_cast<unsigned>(operand))));
  } else if (bytes_of(type) == 4) {
    old = atomic_word(static_cast<unsigned*>(at), amo, static_cast<unsigned>(operand), static_cast<unsigned>(compare));
  } else {
    old = atomic_word(static_cast<unsigned long long*>(at), amo, static_cast<unsigned long long>(operand),
                      static_cast<unsigned long long>(compare));
  }
  write_record(call, what(result ? SHMEMU_LOG_FETCH : SHMEMU_LOG_ATOMIC, SHMEMU_THREAD, type, amo),
               result ? SHMEMU_LOG_RESULT : 0, pe, 0, address(dest), old, bytes_of(type), operand, compare);
  return old;
}

/* ---- waits and tests ---- */
SHMEMU_GPU uint64_t wait(const volatile void* at, int type, int cmp, uint64_t value) {
  Call call;
  unsigned long long first;
  uint64_t seen = wait_word(at, type, cmp, value, first);
  write_record(call, what(SHMEMU_LOG_WAIT, SHMEMU_THREAD, type, cmp), 0, here().me, 0, address(at), first,
               bytes_of(type), value, seen);
  return seen;
}
SHMEMU_GPU bool test(const volatile void* at, int type, int cmp, uint64_t value) {
  Call call;
  uint64_t seen = load_word(at, type);
  bool yes = compare(type, seen, cmp, value);
  if (yes) acquire();
  write_record(call, what(SHMEMU_LOG_TEST, SHMEMU_THREAD, type, cmp), yes ? SHMEMU_LOG_RESULT : 0, here().me, 0,
               address(at), seen, bytes_of(type), value, seen);
  return yes;
}
/* Elements are waited for one by one where all are wanted; `any` and `some` go round. */
SHMEMU_GPU size_t wait_set(int which, int testing, const volatile void* addresses, size_t elements, size_t* indices,
                           const int* status, int type, int cmp, uint64_t value, const void* values) {
  unsigned size = bytes_of(type);
  auto element = [&](size_t i) { return static_cast<const volatile char*>(addresses) + i * size; };
  auto wanted = [&](size_t i) { return values ? load_word(static_cast<const char*>(values) + i * size, type) : value; };
  if (which == 0 && !testing) {
    for (size_t i = 0; i < elements; ++i)
      if (!status || !status[i]) wait(element(i), type, cmp, wanted(i));
    return 1;
  }
  size_t left = 0;
  for (size_t i = 0; i < elements; ++i) left += !status || !status[i];
  Spin spin;
  for (;;) {
    size_t found = 0;
    for (size_t i = 0; i < elements; ++i) {
      if (status && status[i]) continue;
      if (!compare(type, load_word(element(i), type), cmp, wanted(i))) continue;
      wait(element(i), type, cmp, wanted(i));  // its record; returns at once
      if (which == 1) return i;
      if (which == 2) indices[found] = i;
      ++found;
    }
    if (which == 0) return found == left;
    if (found || testing || !left) return which == 1 ? SIZE_MAX : found;
    if (spin.stopped()) give_up(element(0), type, cmp, wanted(0));
  }
}

SHMEMU_GPU void order(int kind, int function = 0) {
  Call call;
  __threadfence_system();
  write_record(call, what(kind, SHMEMU_THREAD, 0, function), 0, here().me, 0, 0, 0, 0, 0, 0);
}
SHMEMU_GPU void* pointer(const void* mine, int pe) {
  const shmemu_gpu_context& c = here();
  unsigned long long offset = address(mine) - c.heap;
  if (pe < 0 || pe >= c.pes || offset >= c.stride || !c.reach[pe]) return nullptr;
  if (pe != c.me) *c.peer_pointers = 1;
  return at_peer(static_cast<char*>(const_cast<void*>(mine)), pe);
}
SHMEMU_GPU int team_field(int team, bool size) {
  const shmemu_gpu_context& c = here();
  if (team < 0 || team >= c.teams || c.team[team].size <= 0) return -1;
  return size ? c.team[team].size : c.team[team].me;
}
SHMEMU_GPU int translate(int from, int pe, int to) {
  const shmemu_gpu_context& c = here();
  if (from < 0 || from >= c.teams || to < 0 || to >= c.teams || pe < 0 || pe >= c.team[from].size) return -1;
  int number = c.members[c.team[from].members + static_cast<unsigned>(pe)];
  for (int i = 0; i < c.team[to].size; ++i)
    if (c.members[c.team[to].members + static_cast<unsigned>(i)] == number) return i;
  return -1;
}

}  // namespace shmemu_gpu
#endif

SHMEMU_GPU_HD void __shmemu_put(void* dest, const void* source, size_t bytes, int pe, int scope, int nbi) {
  SHMEMU_GPU_SIDE(shmemu_gpu::put, shmemu_host_put)(dest, source, bytes, pe, scope, nbi);
}
SHMEMU_GPU_HD void __shmemu_get(void* dest, const void* source, size_t bytes, int pe, int scope, int nbi) {
  SHMEMU_GPU_SIDE(shmemu_gpu::get, shmemu_host_get)(dest, source, bytes, pe, scope, nbi);
}
SHMEMU_GPU_HD void __shmemu_iput(void* dest, const void* source, ptrdiff_t dest_stride, ptrdiff_t source_stride,
                                 size_t elements, size_t element_bytes, int pe, int scope) {
  SHMEMU_GPU_SIDE(shmemu_gpu::strided, shmemu_host_strided)
  (SHMEMU_LOG_IPUT, dest, source, dest_stride, source_stride, elements, element_bytes, pe, scope);
}
SHMEMU_GPU_HD void __shmemu_iget(void* dest, const void* source, ptrdiff_t dest_stride, ptrdiff_t source_stride,
                                 size_t elements, size_t element_bytes, int pe, int scope) {
  SHMEMU_GPU_SIDE(shmemu_gpu::strided, shmemu_host_strided)
  (SHMEMU_LOG_IGET, dest, source, dest_stride, source_stride, elements, element_bytes, pe, scope);
}
SHMEMU_GPU_HD void __shmemu_p(void* dest, const void* value, size_t bytes, int pe) {
  SHMEMU_GPU_SIDE(shmemu_gpu::p, shmemu_host_p)(dest, value, bytes, pe);
}
SHMEMU_GPU_HD void __shmemu_g(void* result, const void* source, size_t bytes, int pe) {
  SHMEMU_GPU_SIDE(shmemu_gpu::g, shmemu_host_g)(result, source, bytes, pe);
}
SHMEMU_GPU_HD void __shmemu_put_signal(void* dest, const void* source, size_t bytes, uint64_t* signal_address,
                                       uint64_t signal, int signal_op, int pe, int scope, int nbi) {
  SHMEMU_GPU_SIDE(shmemu_gpu::put_signal, shmemu_host_put_signal)
  (dest, source, bytes, signal_address, signal, signal_op, pe, scope, nbi);
}
SHMEMU_GPU_HD void __shmemu_signal_op(uint64_t* signal_address, uint64_t signal, int signal_op, int pe) {
  SHMEMU_GPU_SIDE(shmemu_gpu::signal_op, shmemu_host_signal_op)(signal_address, signal, signal_op, pe);
}
SHMEMU_GPU_HD uint64_t __shmemu_signal_fetch(const uint64_t* signal_address) {
  return SHMEMU_GPU_SIDE(shmemu_gpu::load_word(signal_address, SHMEMU_U64), shmemu_host_signal_fetch(signal_address));
}
SHMEMU_GPU_HD uint64_t __shmemu_signal_wait_until(const uint64_t* signal_address, int cmp, uint64_t value) {
  return SHMEMU_GPU_SIDE(shmemu_gpu::wait, shmemu_host_wait)(signal_address, SHMEMU_U64, cmp, value);
}
SHMEMU_GPU_HD uint64_t __shmemu_atomic(void* dest, int amo, int type, uint64_t operand, uint64_t compare, int pe) {
  return SHMEMU_GPU_SIDE(shmemu_gpu::atomic, shmemu_host_atomic)(dest, amo, type, operand, compare, pe);
}
SHMEMU_GPU_HD void __shmemu_wait_until(const volatile void* address, int type, int cmp, uint64_t value) {
  SHMEMU_GPU_SIDE(shmemu_gpu::wait, shmemu_host_wait)(address, type, cmp, value);
}
SHMEMU_GPU_HD int __shmemu_test(const volatile void* address, int type, int cmp, uint64_t value) {
  return SHMEMU_GPU_SIDE(shmemu_gpu::test, shmemu_host_test)(address, type, cmp, value);
}
SHMEMU_GPU_HD size_t __shmemu_wait_set(int which, int testing, const volatile void* addresses, size_t elements,
                                       size_t* indices, const int* status, int type, int cmp, uint64_t value,
                                       const void* values) {
  return SHMEMU_GPU_SIDE(shmemu_gpu::wait_set, shmemu_host_wait_set)(which, testing, addresses, elements, indices,
                                                                     status, type, cmp, value, values);
}
SHMEMU_GPU_HD int __shmemu_collective(int kind, int team, void* dest, const void* source, size_t count,
                                      size_t element_bytes, int type, int op, int root, int scope) {
  return SHMEMU_GPU_SIDE(shmemu_gpu::collective, shmemu_host_collective)(kind, team, dest, source, count, element_bytes,
                                                                         type, op, root, scope);
}
SHMEMU_GPU_HD void nvshmem_fence() { SHMEMU_GPU_SIDE(shmemu_gpu::order(SHMEMU_LOG_FENCE), shmemu_host_quiet()); }
SHMEMU_GPU_HD void nvshmem_quiet() { SHMEMU_GPU_SIDE(shmemu_gpu::order(SHMEMU_LOG_QUIET), shmemu_host_quiet()); }
SHMEMU_GPU_HD int nvshmem_my_pe() { return SHMEMU_GPU_SIDE(shmemu_gpu::here().me, shmemu_host_my_pe()); }
SHMEMU_GPU_HD int nvshmem_n_pes() { return SHMEMU_GPU_SIDE(shmemu_gpu::here().pes, shmemu_host_n_pes()); }
SHMEMU_GPU_HD void* nvshmem_ptr(const void* mine, int pe) {
  return SHMEMU_GPU_SIDE(shmemu_gpu::pointer, shmemu_host_pointer)(mine, pe);
}
SHMEMU_GPU_HD void* nvshmemx_mc_ptr(nvshmem_team_t, const void*) { return nullptr; }
SHMEMU_GPU_HD int nvshmem_team_my_pe(nvshmem_team_t team) {
  return SHMEMU_GPU_SIDE(shmemu_gpu::team_field, shmemu_host_team_field)(team, false);
}
SHMEMU_GPU_HD int nvshmem_team_n_pes(nvshmem_team_t team) {
  return SHMEMU_GPU_SIDE(shmemu_gpu::team_field, shmemu_host_team_field)(team, true);
}
SHMEMU_GPU_HD int nvshmem_team_translate_pe(nvshmem_team_t from, int pe, nvshmem_team_t to) {
  return SHMEMU_GPU_SIDE(shmemu_gpu::translate, shmemu_host_translate)(from, pe, to);
}
SHMEMU_GPU_HD void nvshmem_global_exit(int status) {
  SHMEMU_GPU_SIDE(((void)status, __trap()), shmemu_host_global_exit(status));
}
SHMEMU_GPU_HD void nvshmem_info_get_version(int* major, int* minor) {
  *major = NVSHMEM_MAJOR_VERSION;
  *minor = NVSHMEM_MINOR_VERSION;
}
SHMEMU_GPU_HD void nvshmemx_vendor_get_version_info(int* major, int* minor, int* patch) {
  *major = NVSHMEM_VENDOR_MAJOR_VERSION;
  *minor = NVSHMEM_VENDOR_MINOR_VERSION;
  *patch = NVSHMEM_VENDOR_PATCH_VERSION;
}
SHMEMU_GPU_HD void nvshmem_info_get_name(char* name) {
  const char* text = NVSHMEM_VENDOR_STRING;
  while ((*name++ = *text++)) {
  }
}
#endif
