#include "emu/api/collectives.hpp"

#include <cstring>
#include <vector>

#include "collectives/plain.hpp"
#include "emu/api/checks.hpp"
#include "emu/api/reductions.hpp"
#include "emu/api/teams.hpp"
#include "emu/api/thread_group.hpp"
#include "emu/cuda/runtime_state.hpp"
#include "shmemu/abi.h"

namespace shmemu::emu {
namespace {

struct Arguments {
  int kind = 0, team = 0;
  void* dest = nullptr;
  const void* source = nullptr;
  size_t count = 0, element_bytes = 0;
  int type = 0, op = 0, root = 0;
};

// The calling threads of one PE as a member of a team.
class TeamEndpoint final : public Endpoint {
 public:
  TeamEndpoint(const Arguments& a, const std::vector<PeId>& members, int index, int scope, uint64_t site)
      : a_(a), members_(members), index_(index), group_(scope), scope_(op_scope(scope)), site_(site) {}
  int me() const override { return index_; }
  int size() const override { return static_cast<int>(members_.size()); }
  bool leader() const override { return group_.index == 0; }
  void group_sync() override { group_.sync(); }
  void spend(Overhead what) override {
    const GpuModel& gpu = g_current.world->platform.gpu;
    Time entry = scope_ == Scope::thread ? gpu.sync_entry_thread
                 : scope_ == Scope::warp ? gpu.sync_entry_warp
                                         : gpu.sync_entry_block;
    g_current.lane->gap += what == Overhead::sync_entry   ? entry
                           : what == Overhead::sync_round ? gpu.sync_round
                                                          : gpu.barrier_extra;
  }
  void put(void* dest, const void* source, uint64_t bytes, int peer) override {
    Op op = make(OpKind::put, peer);
    op.scope = scope_;
    op.bytes = bytes;
    op.remote = translate(dest, bytes, op.target, "collective", "the destination", site_);
    op.local = reinterpret_cast<uint64_t>(source);
    checked_local(source, bytes, "collective", "the source", site_);
    if (!group_.moves()) return;
    if (scope_ == Scope::thread) return post(op, Payload(source, bytes));
    stop(op);
  }
  void get(void* dest, const void* source, uint64_t bytes, int peer) override {
    Op op = make(OpKind::get, peer);
    op.scope = scope_;
    op.bytes = bytes;
    op.remote = translate(source, bytes, op.target, "collective", "the source", site_);
    op.local = reinterpret_cast<uint64_t>(dest);
    if (group_.moves()) stop(op);
    if (group_.scope == SHMEMU_WARPGROUP) group_.sync();  // the others look at the data as well
  }
  // A slot's values are 1, 2, 3 …, all from one peer: adding keeps the largest whatever the order of arrival, where a
  // set could be overtaken by the next one.
  void signal(int slot, uint64_t, int peer) override {
    Op op = make(OpKind::signal, peer);
    op.remote = op.signal = word(op.target, slot);
    op.value = 1;
    op.signal_op = 10;  // NVSHMEM_SIGNAL_ADD
    post(op, {});
  }
  void wait(int slot, uint64_t at_least) override {
    Op op = make(OpKind::wait, index_);
    op.remote = word(g_current.pe->id, slot);
    op.bytes = 8;
    op.type = SHMEMU_U64;
    op.function = 5;
    op.value = at_least;
    stop(op);
  }
  void quiet() override {
    Op op = make(OpKind::quiet, index_);
    op.flags = g_current.cta->grid->launch.internal;  // a host barrier completes what the whole PE has issued
    stop(op);
  }
  uint64_t next_sync() override { return ++g_current.pe->shmem.teams[static_cast<size_t>(a_.team)].syncs; }
  void combine(void* dest, const void* source, uint64_t count) override {
    reduce_elements(a_.type, a_.op, dest, source, count);
  }

 private:
  // In a warpgroup the first warp moves the data.
  static Scope op_scope(int scope) { return scope == SHMEMU_WARPGROUP ? Scope::warp : static_cast<Scope>(scope); }
  Op make(OpKind kind, int peer) const {
    Op op;
    op.kind = kind;
    op.site = site_;
    op.issuer = g_current.pe->id;
    op.target = members_[static_cast<size_t>(peer)];
    return op;
  }
  uint64_t word(PeId pe, int slot) const {
    return g_current.world->heap.base(pe.value) + g_current.pe->shmem.sync_pad +
           static_cast<uint64_t>(a_.team * kSyncSlots + slot) * 8;
  }
  const Arguments a_;
  const std::vector<PeId>& members_;
  int index_;
  const ThreadGroup group_;
  const Scope scope_;
  uint64_t site_;
};

const char* name_of_kind(int kind) {
  constexpr const char* kNames[] = {"barrier", "sync", "broadcast", "fcollect", "alltoall", "reduce", "reducescatter"};
  return kind >= 0 && kind < 7 ? kNames[kind] : "collective";
}

// Rule coll.mismatch: members must agree on the n-th collective of their team.
void agree(Pe& pe, const Arguments& a, const Members& members, uint64_t site) {
  uint64_t number = pe.shmem.teams[static_cast<size_t>(a.team)].calls++;
  World::TeamCall mine{a.kind, a.type, a.op, a.root, a.count * a.element_bytes, pe.id, site};
  auto [at, fresh] = pe.world.team_calls.try_emplace({a.team, members->front(), number}, mine);
  const World::TeamCall& first = at->second;
  if (first.kind != a.kind || first.bytes != mine.bytes || first.root != a.root || first.type != a.type ||
      first.op != a.op)
    program_error(site,
                  "coll.mismatch: collective {} of team {}: here {} with {} B per PE, on PE {} {} with {} B ({}); all "
                  "members must make the same calls in the same order",
                  number, a.team, name_of_kind(a.kind), mine.bytes, first.first.value, name_of_kind(first.kind),
                  first.bytes, pe.world.symbols.site(first.first, first.site));
  if (++at->second.callers == members->size()) pe.world.team_calls.erase(at);
}

// By each thread of the group, in a kernel.
void run_in_kernel(const Arguments& a, int scope, uint64_t site) {
  Pe& pe = *g_current.pe;
  const Members& members = team_members(pe, a.team);
  TeamEndpoint at(a, *members, *index_in(*members, pe.id), scope, site);
  if (at.leader()) agree(pe, a, members, site);
  uint64_t bytes = a.count * a.element_bytes;
  // one collective at a time per team: the leader provides the buffer of a reduction, the group sees it after the sync
  auto with_buffer = [&]() -> void* {
    auto& buffer = pe.shmem.teams[static_cast<size_t>(a.team)].buffer;
    if (at.leader()) buffer.resize(2 * bytes);
    at.group_sync();
    return buffer.data();
  };
  switch (a.kind) {
    case SHMEMU_COLL_BARRIER:
      return barrier(at);
    case SHMEMU_COLL_SYNC:
      return sync(at);
    case SHMEMU_COLL_BROADCAST:
      return broadcast(at, a.dest, a.source, bytes, a.root);
    case SHMEMU_COLL_FCOLLECT:
      return fcollect(at, a.dest, a.source, bytes);
    case SHMEMU_COLL_ALLTOALL:
      return alltoall(at, a.dest, a.source, bytes);
    case SHMEMU_COLL_REDUCE:
      return reduce(at, a.dest, a.source, a.count, a.element_bytes, with_buffer());
    case SHMEMU_COLL_REDUCESCATTER:
      return reducescatter(at, a.dest, a.source, a.count, a.element_bytes, with_buffer());
    default:
      program_error(site, "collective {} is unknown", a.kind);
  }
}

bool check(const Arguments& a, uint64_t site) {
  Pe& pe = shmem_pe(name_of_kind(a.kind), site);
  const Members& members = team_members(pe, a.team);
  if (!members || !index_in(*members, pe.id)) return false;
  if (a.kind == SHMEMU_COLL_BROADCAST && (a.root < 0 || a.root >= static_cast<int>(members->size())))
    program_error(site, "broadcast: root {} is not in the team of {} PEs", a.root, members->size());
  return true;
}

device::CommandRef run_on_stream(device::Stream& stream, const Arguments& a, uint64_t site,
                                 const char* name = nullptr) {
  return launch_native(stream, name ? name : name_of_kind(a.kind), 1,
                       [a, site] { run_in_kernel(a, SHMEMU_THREAD, site); });
}

// The stream of the runtime's own work for host calls: independent of the program's streams.
device::Stream& internal_stream(Pe& pe) {
  static char key;
  auto& slot = pe.cuda.streams[&key];
  if (!slot) {
    slot = std::make_unique<device::Stream>();
    slot->number = pe.cuda.next_stream++;
    slot->blocking = false;
  }
  return *slot;
}

}  // namespace

void host_barrier(uint64_t site, int team, const char* caller) {
  Arguments a{.kind = SHMEMU_COLL_BARRIER, .team = team};
  wait_for(run_on_stream(internal_stream(*g_current.pe), a, site, caller), site);
}

void host_sync(uint64_t site, int team) {
  Arguments a{.kind = SHMEMU_COLL_SYNC, .team = team};
  wait_for(run_on_stream(internal_stream(*g_current.pe), a, site), site);
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

int __shmemu_collective(int kind, int team, void* dest, const void* source, size_t count, size_t element_bytes,
                        int type, int op, int root, int scope) {
  uint64_t site = SHMEMU_SITE();
  Arguments a{kind, team, dest, source, count, element_bytes, type, op, root};
  if (!check(a, site)) return -1;
  if (on_device()) {
    run_in_kernel(a, scope, site);
  } else {
    wait_for(run_on_stream(internal_stream(*g_current.pe), a, site), site);
  }
  return 0;
}

int __shmemu_collective_on_stream(int kind, int team, void* dest, const void* source, size_t count,
                                  size_t element_bytes, int type, int op, int root, struct CUstream_st* handle) {
  uint64_t site = SHMEMU_SITE();
  Arguments a{kind, team, dest, source, count, element_bytes, type, op, root};
  if (!check(a, site)) return -1;
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) program_error(site, "{} on a stream that does not exist", name_of_kind(kind));
  run_on_stream(*stream, a, site);
  charge(g_current.world->platform.host.launch_call);
  return 0;
}

}  // extern "C"
