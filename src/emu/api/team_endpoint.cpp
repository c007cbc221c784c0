#include "emu/api/team_endpoint.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "emu/api/checks.hpp"
#include "emu/api/reductions.hpp"
#include "emu/api/teams.hpp"
#include "shmemu/abi.h"

namespace shmemu::emu {
namespace {}  // namespace

uint64_t scratch_of(const World& world, PeId pe, int team) {
  return world.heap.base(pe.value) + world.all_pes[static_cast<size_t>(pe.value)]->shmem.scratch +
         static_cast<uint64_t>(team) * world.scratch.total();
}

void clear_scratch(World& world, PeId pe, int team) {
  auto* at = reinterpret_cast<char*>(scratch_of(world, pe, team));
  constexpr uint64_t kPage = 4096;  // areas are whole pages; the heap begins on one
  uint64_t head = (kPage - reinterpret_cast<uint64_t>(at) % kPage) % kPage;
  std::memset(at, 0, head);
  uint64_t pages = (world.scratch.total() - head) / kPage * kPage;
  madvise(at + head, pages, MADV_DONTNEED);
  std::memset(at + head + pages, 0, world.scratch.total() - head - pages);
}

bool reach_each_other(World& world, const std::vector<PeId>& members) {
  return std::all_of(members.begin(), members.end(),
                     [&](PeId other) { return world.router.load_store(members.front(), other); });
}

bool TeamEndpoint::load_store(int peer) const {
  return g_current.world->router.load_store(g_current.pe->id, (*members_)[static_cast<size_t>(peer)]);
}

bool TeamEndpoint::all_load_store() const {
  auto& known = g_current.pe->shmem.teams[static_cast<size_t>(team_)].all_load_store;
  if (!known) known = reach_each_other(*g_current.world, *members_);
  return *known;
}

// Parts of team WORLD.
std::unique_ptr<Endpoint> TeamEndpoint::part(Part which) {
  enum { kNode = 2, kSameMypeNode = 3 };  // predefined teams
  Pe& pe = *g_current.pe;
  const Members& members = team_members(pe, which == Part::node ? kNode : kSameMypeNode);
  return std::make_unique<TeamEndpoint>(which == Part::node ? pe.world.node_part() : pe.world.column_part(), members,
                                        *index_in(*members, pe.id), group_.scope, element_, site_);
}

void TeamEndpoint::spend(Overhead what, uint64_t items) {
  g_current.lane->gap += cost_of(g_current.world->platform.gpu, what, scope_, threads(), items);
}

void TeamEndpoint::repeat(const Loop& loop, const std::function<void(uint64_t)>& step) {
  for (uint64_t i = 0; i < loop.count; ++i) step(i);
}

Op TeamEndpoint::make(OpKind kind, int peer) const {
  Op op;
  op.kind = kind;
  op.site = site_;
  op.issuer = g_current.pe->id;
  op.target = (*members_)[static_cast<size_t>(peer)];
  return op;
}

void TeamEndpoint::put_by(Scope scope, const Put& p) {
  Op op = make(OpKind::put, p.peer);
  op.scope = scope;
  op.bytes = p.bytes;
  op.nbi = !load_store(p.peer);  // NVSHMEM 3.3.9 copies where it can and else puts without waiting
  op.flags = p.packed ? Op::kPacked : Op::kAligned;
  op.remote = translate(p.dest, p.bytes, op.target, "collective", "the destination", site_);
  op.local = reinterpret_cast<uint64_t>(p.source);
  checked_local(p.source, p.bytes, "collective", "the source", site_);
  if (!group_.moves()) return;
  if (g_current.world->options.adverse && op.target == g_current.pe->id) {
    // what stays at home is stored before the call returns; only what travels may be late
    const device::Lane& lane = *g_current.lane;
    if (scope == Scope::thread || (scope == Scope::warp ? lane.index == 0 : lane.thread == 0))
      std::memmove(p.dest, p.source, p.bytes);
    if (scope == Scope::thread) return;
    op.bytes = 0;
  }
  if (scope == Scope::thread) return post(op, Payload(p.source, p.bytes));
  stop(op);
}

void TeamEndpoint::put_each(const std::vector<Put>& puts) {
  bool block = scope_ == Scope::block;
  size_t mine = block ? g_current.lane->warp->number : 0, step = block ? warps() : 1;
  for (size_t i = mine; i < puts.size(); i += step) put_by(block ? Scope::warp : scope_, puts[i]);
}

void TeamEndpoint::put_signal_each(const std::vector<Put>& puts, int slot) {
  for (size_t i = group_.index; i < puts.size(); i += group_.size) {
    const Put& p = puts[i];
    Op op = make(OpKind::put_signal, p.peer);
    op.flags = Op::kAligned;
    op.nbi = true;
    op.bytes = p.bytes;
    op.remote = translate(p.dest, p.bytes, op.target, "collective", "the destination", site_);
    op.local = reinterpret_cast<uint64_t>(p.source);
    checked_local(p.source, p.bytes, "collective", "the source", site_);
    op.signal = word(op.target, slot);
    op.value = 1;
    op.signal_op = Op::kSignalAdd;
    post(op, Payload(p.source, p.bytes));
  }
}

uint64_t TeamEndpoint::word(PeId pe, int slot) const {
  return scratch_of(*g_current.world, pe, team_) + g_current.world->scratch.offset(Area::signals) +
         static_cast<uint64_t>(slot) * 8;
}

void TeamEndpoint::signal(const Signal& s) {
  Op op = make(OpKind::signal, s.peer);
  fill(op, s, word(op.target, s.slot));
  post(op, {});
}

void TeamEndpoint::wait_for_word(uint64_t address, uint64_t bytes, bool at_least, uint64_t value) {
  Op op = make(OpKind::wait, index_);
  op.remote = address;
  op.bytes = bytes;
  op.type = bytes == 8 ? SHMEMU_U64 : SHMEMU_U32;
  op.function = at_least ? Op::kAtLeast : Op::kEqual;
  op.value = value;
  stop(op);
}

void TeamEndpoint::wait(int slot, uint64_t at_least) { wait_for_word(word(g_current.pe->id, slot), 8, true, at_least); }

void TeamEndpoint::signal_each(const std::vector<Signal>& signals) {
  for (size_t i = group_.index; i < signals.size(); i += group_.size) signal(signals[i]);
}

void TeamEndpoint::wait_each(const std::vector<SignalWait>& waits) {
  for (size_t i = group_.index; i < waits.size(); i += threads()) wait(waits[i].slot, waits[i].at_least);
}

void TeamEndpoint::multicast(const Multicast&) {
  SHMEMU_ASSERT(false, "a multicast on a team of a program; the chooser is told that these have none");
}

void TeamEndpoint::fence() {
  Op op = make(OpKind::fence, index_);
  op.function = Op::kNvshmemFence;
  stop(op);
}

void TeamEndpoint::store_fence() {
  Op op = make(OpKind::fence, index_);
  op.function = Op::kSystemFence;
  stop(op);
}

void TeamEndpoint::quiet() {
  Op op = make(OpKind::quiet, index_);
  op.flags = g_current.cta->grid->launch.internal;  // a host barrier completes what the whole PE has issued
  stop(op);
}

char* TeamEndpoint::scratch(Area area) {
  return reinterpret_cast<char*>(scratch_of(*g_current.world, g_current.pe->id, team_) +
                                 g_current.world->scratch.offset(area));
}

uint64_t TeamEndpoint::scratch_bytes(Area area) const { return g_current.world->scratch.bytes(area); }

uint64_t& TeamEndpoint::state(Tally which, int member) {
  return g_current.pe->shmem.teams[static_cast<size_t>(team_)].numbers(which, member);
}

void TeamEndpoint::copy(void* dest, const void* source, uint64_t bytes) { std::memmove(dest, source, bytes); }

void TeamEndpoint::combine(void* dest, const void* source, uint64_t count) {
  reduce_elements(element_.type, element_.op, dest, source, count);
}

void TeamEndpoint::pack(Packing packing, void* dest, const void* source, uint64_t bytes, uint32_t flag) {
  pack_into(packing, dest, source, bytes, flag);
}

void TeamEndpoint::receive_each(Packing packing, const std::vector<Receive>& blocks, uint32_t flag) {
  for (size_t i = group_.index; i < blocks.size(); i += threads()) {
    uint64_t end = reinterpret_cast<uint64_t>(blocks[i].packed) + packed_bytes(packing, blocks[i].bytes);
    if (blocks[i].bytes) wait_for_word(end - flag_bytes(packing), flag_bytes(packing), false, flag);
  }
  group_sync();
  if (leader())
    for (const Receive& b : blocks) unpack_into(packing, b.dest, b.packed, b.bytes);
  group_sync();
}

}  // namespace shmemu::emu
