// The tile API: reductions, gathers and copies of tensors of up to four dimensions (NVSHMEM 3.3.9; put, get and
// broadcast of 3.5). The threads of the group share the rows of the tile. Sums are formed in float in rank order and
// rounded once. Pull starts with a synchronisation of the team; what is pushed has arrived after tile_collective_wait.
#include <algorithm>
#include <cstring>

#include "emu/api/checks.hpp"
#include "emu/api/limits.hpp"
#include "emu/api/reductions.hpp"
#include "emu/api/teams.hpp"
#include "emu/api/thread_group.hpp"
#include "shmemu/abi.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

constexpr int64_t kPiece = 256;  // elements of a row that travel together

// Tiles without gaps and bounds are one long row.
bool is_dense(const shmemu_tile& t) {
  int64_t expected = 1;
  for (uint32_t d = 0; d < t.dimensions; ++d) {
    if (t.stride[d] != expected || t.upper[d] - t.lower[d] < t.shape[d]) return false;
    expected *= t.shape[d];
  }
  return true;
}
shmemu_tile as_one_row(shmemu_tile t) {
  for (uint32_t d = 1; d < t.dimensions; ++d) t.shape[0] *= t.shape[d];
  t.dimensions = 1;
  return t;
}

struct Row {
  int64_t source = 0, dest = 0;  // byte offsets
  int64_t elements = 0;
};

// Calls f(row) for every row of this thread: stretches of the tile that are contiguous in both tensors.
template <class F>
void for_my_rows(const ThreadGroup& group, const shmemu_tile& from, const shmemu_tile& to, F f) {
  if (from.dimensions > 1 && is_dense(from) && is_dense(to))
    return for_my_rows(group, as_one_row(from), as_one_row(to), f);
  uint32_t along = from.dimensions;  // the contiguous dimension, if there is one
  for (uint32_t d = 0; d < from.dimensions && along == from.dimensions; ++d)
    if (from.stride[d] == 1 && to.stride[d] == 1) along = d;
  auto extent = [&](uint32_t d) { return std::clamp<int64_t>(from.upper[d] - from.lower[d], 0, from.shape[d]); };
  int64_t rows = 1, length = along < from.dimensions ? extent(along) : 1;
  int64_t pieces = (length + kPiece - 1) / kPiece;
  for (uint32_t d = 0; d < from.dimensions; ++d)
    if (d != along) rows *= extent(d);
  for (int64_t i = group.index; i < rows * pieces; i += group.size) {
    int64_t number = i / pieces, start = i % pieces * kPiece;
    Row row{.elements = std::min(kPiece, length - start)};
    for (uint32_t d = 0; d < from.dimensions; ++d) {
      int64_t at = start;
      if (d != along) {
        at = number % extent(d);
        number /= extent(d);
      }
      row.source += at * from.stride[d] * from.element_bytes;
      row.dest += at * to.stride[d] * to.element_bytes;
    }
    f(row);
  }
}

struct Call {
  const shmemu_tile &from, &to;
  const std::vector<PeId>& members;
  const std::vector<PeId>& job;
  int type, op;
  int pe_of(size_t member) const { return *index_in(job, members[member]); }
  std::byte* source(const Row& row) const { return static_cast<std::byte*>(from.data) + row.source; }
  std::byte* dest(const Row& row) const { return static_cast<std::byte*>(to.data) + row.dest; }
  uint64_t bytes(const Row& row) const { return static_cast<uint64_t>(row.elements) * from.element_bytes; }
};

// The row of a member, into a variable of the thread, which an adapter does not reach: value by value over a network.
void fetch(std::byte* into, const Call& c, const Row& row, size_t member) {
  const int pe = c.pe_of(member);
  if (g_current.world->router.load_store(g_current.pe->id, c.members[member]))
    return __shmemu_get(into, c.source(row), c.bytes(row), pe, SHMEMU_THREAD, 0);
  const auto each = static_cast<uint64_t>(c.from.element_bytes);
  for (uint64_t at = 0; at < c.bytes(row); at += each) __shmemu_g(into + at, c.source(row) + at, each, pe);
}

// The reduction of the row over all members, in `out`.
void reduce_row(const Call& c, const Row& row, std::byte* out) {
  float total[kPiece];
  std::byte piece[kPiece * sizeof(float)];
  for (size_t m = 0; m < c.members.size(); ++m) {
    fetch(piece, c, row, m);
    for (int64_t i = 0; i < row.elements; ++i) {
      float value = bits_to_float(c.type, piece + i * c.from.element_bytes);
      float& t = total[i];
      t = m == 0               ? value
          : c.op == SHMEMU_SUM ? t + value
          : c.op == SHMEMU_MIN ? std::min(t, value)
                               : std::max(t, value);
    }
  }
  for (int64_t i = 0; i < row.elements; ++i) float_to_bits(c.type, total[i], out + i * c.from.element_bytes);
}

// The data stay until the wait for the tile; an adapter reads them late.
void put_to_all(const Call& c, const Row& row, std::byte* dest, const std::byte* data) {
  for (size_t m = 0; m < c.members.size(); ++m) __shmemu_put(dest, data, c.bytes(row), c.pe_of(m), SHMEMU_THREAD, 1);
}

// As `fetch`, the other way: `data` is a variable of the thread.
void send_to_all(const Call& c, const Row& row, std::byte* dest, const std::byte* data) {
  const auto each = static_cast<uint64_t>(c.from.element_bytes);
  for (size_t m = 0; m < c.members.size(); ++m) {
    if (g_current.world->router.load_store(g_current.pe->id, c.members[m]))
      __shmemu_put(dest, data, c.bytes(row), c.pe_of(m), SHMEMU_THREAD, 0);
    else
      for (uint64_t at = 0; at < c.bytes(row); at += each) __shmemu_p(dest + at, data + at, each, c.pe_of(m));
  }
}

int synchronise(int team, int scope) {
  return __shmemu_collective(SHMEMU_COLL_SYNC, team, nullptr, nullptr, 0, 0, 0, 0, 0, scope);
}

}  // namespace

extern "C" {

int __shmemu_tile(int kind, int team, const shmemu_tile* source, const shmemu_tile* dest, int type, int op, int root,
                  int pull, int scope) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("a tile operation", site);
  Outer outer(site);
  ThreadGroup group(scope);
  if (kind == SHMEMU_TILE_PUT || kind == SHMEMU_TILE_GET || kind == SHMEMU_TILE_BROADCAST)
    unsupported(Limit::tile_transfers, "a tile operation", "", site);
  if (kind == SHMEMU_TILE_PUT || kind == SHMEMU_TILE_GET) {
    checked_pe(team, "a tile operation", site);
    for_my_rows(group, *source, *dest, [&](const Row& row) {
      auto* from = static_cast<std::byte*>(source->data) + row.source;
      auto* to = static_cast<std::byte*>(dest->data) + row.dest;
      uint64_t bytes = static_cast<uint64_t>(row.elements) * source->element_bytes;
      kind == SHMEMU_TILE_PUT ? __shmemu_put(to, from, bytes, team, SHMEMU_THREAD, 1)
                              : __shmemu_get(to, from, bytes, team, SHMEMU_THREAD, 1);
    });
    return 0;
  }
  const Members& members = team_members(pe, team);
  std::optional<int> me = members ? index_in(*members, pe.id) : std::nullopt;
  if (!me) return -1;
  if (!has_multicast(pe.world, *members))
    unsupported(Limit::tile_without_multicast, "a tile operation", fmt::format("{} PEs", members->size()), site);
  if (root >= static_cast<int>(members->size())) return -1;
  if (pull)
    if (int error = synchronise(team, scope)) return error;
  bool mine = root < 0 || root == *me;
  Call c{*source, *dest, *members, pe.shmem.job->members, type, op};
  std::byte result[kPiece * sizeof(float)];
  int64_t last = static_cast<int64_t>(source->dimensions) - 1;
  int64_t place = *me * source->shape[last] * dest->stride[last] * dest->element_bytes;
  for_my_rows(group, *source, *dest, [&](const Row& row) {
    switch (kind) {
      case SHMEMU_TILE_ALLGATHER:
        return put_to_all(c, row, c.dest(row) + place, c.source(row));
      case SHMEMU_TILE_BROADCAST:
        return put_to_all(c, row, c.dest(row), c.source(row));
      default:
        break;
    }
    if (!mine) return;
    reduce_row(c, row, result);
    if (kind == SHMEMU_TILE_ALLREDUCE && !pull) return send_to_all(c, row, c.dest(row), result);
    __shmemu_put(c.dest(row), result, c.bytes(row), pe.shmem.rank, SHMEMU_THREAD, 0);
  });
  return 0;
}

// A pull has ended for its caller when its own stores are done; pushes of all members have arrived after a barrier.
int __shmemu_tile_wait(int team, int pull, int scope) {
  Outer outer(SHMEMU_SITE());
  if (!pull) return __shmemu_collective(SHMEMU_COLL_BARRIER, team, nullptr, nullptr, 0, 0, 0, 0, 0, scope);
  ThreadGroup group(scope);
  group.sync();
  if (group.index == 0) {
    Op op;
    op.kind = OpKind::quiet;
    stop(op);
  }
  group.sync();
  return 0;
}

}  // extern "C"
