#include "emu/api/collectives.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "collectives/algorithms.hpp"
#include "emu/api/checks.hpp"
#include "emu/api/limits.hpp"
#include "emu/api/team_endpoint.hpp"
#include "emu/api/teams.hpp"
#include "emu/core/broken_rule.hpp"
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
  const char* part_of = nullptr;  // a call that has this collective inside: an allocation, a split
};

const char* name_of_kind(int kind) {
  constexpr const char* kNames[] = {"barrier", "sync", "broadcast", "fcollect", "alltoall", "reduce", "reducescatter"};
  return kind >= 0 && kind < 7 ? kNames[kind] : "collective";
}

// Rule coll.mismatch: members must agree on the n-th collective of their team.
void agree(Pe& pe, const Arguments& a, const Members& members, uint64_t site) {
  uint64_t number = pe.shmem.teams[static_cast<size_t>(a.team)].calls++;
  // what an allocation or a split has inside is no barrier of the program; the end of NVSHMEM is one
  const char* name = a.part_of && !std::string_view(a.part_of).ends_with("finalize") ? a.part_of : name_of_kind(a.kind);
  World::TeamCall mine{a.kind, a.type, a.op, a.root, a.count * a.element_bytes, pe.id, site, name, {}};
  auto [at, fresh] = pe.world.team_calls.try_emplace({a.team, members->front(), number}, mine);
  const World::TeamCall& first = at->second;
  if (first.kind != a.kind || first.bytes != mine.bytes || first.root != a.root || first.type != a.type ||
      first.op != a.op || std::string_view(first.name) != name)
    broken_rule("coll.mismatch", name, site, {first.first, first.site, first.name, ""},
                "collective {} of team {}: here {} with {} B per PE, on PE {} {} with {} B ({}); all members must make "
                "the same calls in the same order",
                number, a.team, name, mine.bytes, first.first.value, first.name, first.bytes,
                pe.world.symbols.site(first.first, first.site));
  at->second.callers.push_back(pe.id);
  if (at->second.callers.size() == members->size()) pe.world.team_calls.erase(at);
}

Situation situation_of(Pe& pe, const Arguments& a, const Endpoint& at) {
  const World& world = pe.world;
  Situation s;
  s.collective = static_cast<Collective>(a.kind);
  s.scope = at.scope();
  s.count = a.count;
  s.element_bytes = a.element_bytes;
  s.floating = a.type == SHMEMU_F32 || a.type == SHMEMU_F16 || a.type == SHMEMU_BF16;
  s.sum = a.op == SHMEMU_SUM;
  s.in_place = a.dest == a.source;
  s.pes = at.size();
  const std::vector<PeId>& members = *team_members(pe, a.team);
  s.world = members == pe.shmem.job->members;
  s.all_load_store = at.all_load_store();
  s.one_node = std::all_of(members.begin(), members.end(),
                           [&](PeId other) { return world.node_of(other) == world.node_of(pe.id); });
  s.block_distributed = s.world && (s.one_node || (s.pes == world.pes() && s.pes % world.gpus_per_node() == 0 &&
                                                   s.pes % world.placement.pes_per_node == 0));
  return s;
}

// Whether NVSHMEM would reduce and scatter by multicast (its nvls_ok for reducescatter). Here nobody does.
bool by_multicast(Pe& pe, const Arguments& a) {
  bool wide = a.type == SHMEMU_F32 || a.type == SHMEMU_F64, compares = a.op == SHMEMU_MIN || a.op == SHMEMU_MAX;
  return a.element_bytes >= 4 && a.op != SHMEMU_PROD && !(wide && compares) &&
         has_multicast(pe.world, *team_members(pe, a.team));
}

Algorithm algorithm_of(Pe& pe, const Arguments& a, const Endpoint& at, int scope, uint64_t site) {
  auto& known = pe.shmem.teams[static_cast<size_t>(a.team)].chosen;
  TeamState::Chosen call{a.kind, scope, a.type, a.op, a.count, a.element_bytes, a.dest == a.source};
  if (known && known->same_call(call)) return known->algorithm;
  const CollectiveSettings& settings = pe.world.collective_settings;
  Situation situation = situation_of(pe, a, at);
  call.algorithm = choose(situation, settings).algorithm;
  if (std::string why = illegal(call.algorithm, situation, settings); !why.empty())
    program_error(site, "{}: algorithm {} cannot run: {}", name_of_kind(a.kind), name_of(call.algorithm), why);
  if (uint64_t all = a.count * a.element_bytes * static_cast<uint64_t>(situation.pes),
      most = settings.reduce_scratch / 2;
      call.algorithm == Algorithm::reducescatter_put && all > most && !by_multicast(pe, a))
    unsupported(Limit::large_reducescatter, "reducescatter",
                fmt::format("{} PEs x {} B are more than {} B", situation.pes, a.count * a.element_bytes, most), site);
  known = call;
  return call.algorithm;
}

// Tells the checker of a collective as a whole, from the first of its steps to the last.
class Watched {
 public:
  Watched(const Arguments& a, const std::vector<PeId>& members, bool leader, uint64_t site)
      : checker_(g_current.world->checker.get()) {
    if (!checker_) return;
    uint64_t bytes = a.count * a.element_bytes, all = bytes * members.size();
    bool gathers = a.kind == SHMEMU_COLL_FCOLLECT || a.kind == SHMEMU_COLL_ALLTOALL;
    bool scatters = a.kind == SHMEMU_COLL_ALLTOALL || a.kind == SHMEMU_COLL_REDUCESCATTER;
    checks::Collective what;
    what.team = a.team;
    what.first_member = members.front();
    what.number = g_current.pe->shmem.teams[static_cast<size_t>(a.team)].calls;  // as counted by its leader
    what.members = members.size();
    what.completes = a.kind == SHMEMU_COLL_BARRIER;
    what.sync_only = a.kind == SHMEMU_COLL_SYNC;
    if (a.kind == SHMEMU_COLL_BROADCAST) what.root = members[static_cast<size_t>(a.root)];
    what.leader = leader;
    if (!what.root || *what.root == g_current.pe->id) {
      what.source = reinterpret_cast<uint64_t>(a.source);
      what.source_bytes = scatters ? all : bytes;
    }
    what.dest = reinterpret_cast<uint64_t>(a.dest);
    what.dest_bytes = gathers ? all : bytes;
    what.site = site;
    what.call = name_of_kind(a.kind);
    checker_->enter(checker_->strand(*g_current.lane), std::move(what));
  }
  ~Watched() {
    if (checker_) checker_->leave(checker_->strand(*g_current.lane));
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  checks::Checker* checker_;
};

// By each thread of the group, in a kernel.
void run_in_kernel(const Arguments& a, int scope, uint64_t site) {
  Pe& pe = *g_current.pe;
  const Members& members = team_members(pe, a.team);
  TeamEndpoint at(a.team, members, *index_in(*members, pe.id), scope, {a.type, a.op}, site);
  if (at.leader()) agree(pe, a, members, site);
  Watched watched(a, *members, at.leader(), site);
  Algorithm algorithm = algorithm_of(pe, a, at, scope, site);
  auto clock = [] { return g_current.lane->time + g_current.lane->gap; };
  Time begun = clock();
  run(at, static_cast<Collective>(a.kind), algorithm, pe.world.collective_settings,
      {a.dest, a.source, a.count, a.element_bytes, a.root});
  constexpr const char* kScopes[] = {"thread", "warp", "block"};
  if (at.leader() && a.count)
    pe.world.report.collectives.add(
        {fmt::format("{} ({})", name_of_kind(a.kind), scope >= 0 && scope < 3 ? kScopes[scope] : "group"),
         static_cast<int>(members->size()), a.count * a.element_bytes, name_of(algorithm), clock() - begun, pe.id,
         site});
}

bool check(const Arguments& a, uint64_t site) {
  Pe& pe = shmem_pe(name_of_kind(a.kind), site);
  const Members& members = team_members(pe, a.team);
  if (!members || !index_in(*members, pe.id)) {
    report_no_member(pe, a.team, name_of_kind(a.kind), site);
    return false;
  }
  if (a.kind == SHMEMU_COLL_BROADCAST && (a.root < 0 || a.root >= static_cast<int>(members->size())))
    program_error(site, "broadcast: root {} is not in the team of {} PEs", a.root, members->size());
  if (members->size() > 1 && a.count) {
    uint64_t bytes = a.count * a.element_bytes;
    checked_collective_buffer(a.dest, bytes, name_of_kind(a.kind), "the destination", site);
    checked_collective_buffer(a.source, bytes, name_of_kind(a.kind), "the source", site);
  }
  return true;
}

device::CommandRef run_on_stream(device::Stream& stream, const Arguments& a, uint64_t site,
                                 const char* name = nullptr) {
  Situation s;
  s.collective = static_cast<Collective>(a.kind);
  s.count = a.count;
  StreamShape shape = stream_shape(s, g_current.world->collective_settings);
  int scope = static_cast<int>(shape.scope);
  return launch_native(stream, name ? name : name_of_kind(a.kind), shape.threads,
                       [a, site, scope] { run_in_kernel(a, scope, site); });
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
  Arguments a{.kind = SHMEMU_COLL_BARRIER, .team = team, .part_of = caller};
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
  charge(g_current.world->platform.host.launch_call);
  run_on_stream(*stream, a, site);
  return 0;
}

}  // extern "C"
