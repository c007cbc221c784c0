/* Device side: collectives that are right, whatever they cost here. Their time comes from the log: one record per PE,
 * which the host turns into the operations of NVSHMEM's algorithm for the modelled cluster. */
#ifndef SHMEMU_GPU_COLLECTIVES_H
#define SHMEMU_GPU_COLLECTIVES_H
#include "memory_access.h"

#ifdef __CUDA_ARCH__ /* the host pass needs none of it */
namespace shmemu_gpu {

/* All members have come. One meeting place per team, in device memory. */
SHMEMU_GPU void meet(const Group& g, const shmemu_gpu_team& team) {
  __threadfence_system();
  g.sync();
  if (g.leader()) {
    shmemu_meeting& at = here().meetings[team.place];
    unsigned long long ticket = atomicAdd_system(&at.arrived, 1ull), round = ticket / team.size + 1, first;
    if (ticket % team.size == static_cast<unsigned>(team.size) - 1) {
      atomicMax_system(&at.released, round);
    } else {
      wait_word(&at.released, SHMEMU_U64, 5 /* at least */, round, first);
    }
    __threadfence_system();
  }
  g.sync();
}

struct shmemu_double2 {
  double x, y;
};

template <class T>
struct Number {  // arithmetic type of a reduction: half types are added in float and rounded after each step
  using type = T;
};
template <>
struct Number<__half> {
  using type = float;
};
template <>
struct Number<__nv_bfloat16> {
  using type = float;
};

template <class T>
SHMEMU_GPU T combine(int op, T a, T b) {
  using N = typename Number<T>::type;
  N x = static_cast<N>(a), y = static_cast<N>(b);
  switch (op) {
    case SHMEMU_SUM:
      return static_cast<T>(x + y);
    case SHMEMU_PROD:
      return static_cast<T>(x * y);
    case SHMEMU_MIN:
      return x < y ? a : b;
    default:
      return x > y ? a : b;
  }
}
template <class T>
SHMEMU_GPU T combine_bits(int op, T a, T b) {
  switch (op) {
    case SHMEMU_AND:
      return static_cast<T>(a & b);
    case SHMEMU_OR:
      return static_cast<T>(a | b);
    default:
      return static_cast<T>(a ^ b);
  }
}
SHMEMU_GPU double2 combine_places(double2 a, double2 b) { return b.x > a.x || (b.x == a.x && b.y < a.y) ? b : a; }

/* dest[i] = source[first + i] of all members, in the order of the team. A tile is read by everybody before anybody
 * writes it, so dest and source may be the same. */
template <class T, class F>
SHMEMU_GPU void reduce_by(const Group& g, const shmemu_gpu_team& team, T* dest, const T* source, size_t first,
                          size_t count, F f) {
  const int32_t* members = here().members + team.members;
  constexpr int kEach = 4;
  size_t tile = static_cast<size_t>(g.size) * kEach;
  for (size_t from = 0; from < count; from += tile) {
    T sum[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      size_t i = from + g.index + static_cast<size_t>(k) * g.size;
      if (i >= count) continue;
      for (int m = 0; m < team.size; ++m) {
        T value;
        shmemu_gpu::copy_value(&value, shmemu_gpu::at_peer(source, members[m]) + first + i, sizeof(T));
        sum[k] = m ? f(sum[k], value) : value;
      }
    }
    meet(g, team);
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      size_t i = from + g.index + static_cast<size_t>(k) * g.size;
      if (i < count) dest[i] = sum[k];
    }
  }
}
template <class T>
SHMEMU_GPU void reduce_type(const Group& g, const shmemu_gpu_team& team, void* dest, const void* source, size_t first,
                            size_t count, int op) {
  reduce_by(g, team, static_cast<T*>(dest), static_cast<const T*>(source), first, count,
            [op](T a, T b) { return shmemu_gpu::combine<T>(op, a, b); });
}
template <class T>
SHMEMU_GPU void reduce_integer(const Group& g, const shmemu_gpu_team& team, void* dest, const void* source,
                               size_t first, size_t count, int op) {
  if (op < SHMEMU_AND) return reduce_type<T>(g, team, dest, source, first, count, op);
  reduce_by(g, team, static_cast<T*>(dest), static_cast<const T*>(source), first, count,
            [op](T a, T b) { return shmemu_gpu::combine_bits<T>(op, a, b); });
}
SHMEMU_GPU void reduce(const Group& g, const shmemu_gpu_team& team, void* dest, const void* source, size_t first,
                       size_t count, int type, int op) {
  switch (type) {
    case SHMEMU_I8:
      return reduce_integer<signed char>(g, team, dest, source, first, count, op);
    case SHMEMU_U8:
      return reduce_integer<unsigned char>(g, team, dest, source, first, count, op);
    case SHMEMU_I16:
      return reduce_integer<short>(g, team, dest, source, first, count, op);
    case SHMEMU_U16:
      return reduce_integer<unsigned short>(g, team, dest, source, first, count, op);
    case SHMEMU_I32:
      return reduce_integer<int>(g, team, dest, source, first, count, op);
    case SHMEMU_U32:
      return reduce_integer<unsigned>(g, team, dest, source, first, count, op);
    case SHMEMU_I64:
      return reduce_integer<long long>(g, team, dest, source, first, count, op);
    case SHMEMU_U64:
      return reduce_integer<unsigned long long>(g, team, dest, source, first, count, op);
    case SHMEMU_F16:
      return reduce_type<__half>(g, team, dest, source, first, count, op);
    case SHMEMU_BF16:
      return reduce_type<__nv_bfloat16>(g, team, dest, source, first, count, op);
    case SHMEMU_F32:
      return reduce_type<float>(g, team, dest, source, first, count, op);
    case SHMEMU_F64:
      return reduce_type<double>(g, team, dest, source, first, count, op);
    default:
      reduce_by(g, team, static_cast<double2*>(dest), static_cast<const double2*>(source), first, count,
                [](double2 a, double2 b) { return combine_places(a, b); });
  }
}

SHMEMU_GPU int collective(int kind, int handle, void* dest, const void* source, size_t count, size_t element_bytes,
                          int type, int op, int root, int scope) {
  Call call;
  const shmemu_gpu_context& c = here();
  if (handle < 0 || handle >= c.teams || c.team[handle].size <= 0) return -1;
  const shmemu_gpu_team team = c.team[handle];
  const int32_t* members = c.members + team.members;
  Group g(scope);
  size_t bytes = count * element_bytes;
  auto from = [&](int member) { return at_peer(static_cast<const char*>(source), members[member]); };
  auto to = [&](int part) { return static_cast<char*>(dest) + static_cast<size_t>(part) * bytes; };
  meet(g, team);
  switch (kind) {
    case SHMEMU_COLL_BROADCAST:
      if (from(root) != dest) copy(g, dest, from(root), bytes);
      break;
    case SHMEMU_COLL_FCOLLECT:
      for (int m = 0; m < team.size; ++m) copy(g, to(m), from(m), bytes);
      break;
    case SHMEMU_COLL_ALLTOALL:
      for (int m = 0; m < team.size; ++m) copy(g, to(m), from(m) + static_cast<size_t>(team.me) * bytes, bytes);
      break;
    case SHMEMU_COLL_REDUCE:
      reduce(g, team, dest, source, 0, count, type, op);
      break;
    case SHMEMU_COLL_REDUCESCATTER:
      reduce(g, team, dest, source, static_cast<size_t>(team.me) * count, count, type, op);
      break;
    default:
      break;
  }
  if (kind > SHMEMU_COLL_SYNC) meet(g, team);
  if (g.leader())
    write_record(call, what(SHMEMU_LOG_COLLECTIVE, scope, type, kind), dest == source, root,
                 static_cast<unsigned>(handle) | static_cast<unsigned>(op) << 24,
                 reinterpret_cast<unsigned long long>(dest), reinterpret_cast<unsigned long long>(source), bytes, count,
                 element_bytes);
  g.sync();
  return 0;
}

}  // namespace shmemu_gpu
#endif
#endif
