#include "emu/check/deadlock.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "device/atomics.hpp"
#include "emu/api/team_endpoint.hpp"
#include "emu/core/world.hpp"

namespace shmemu::emu {
namespace {

constexpr size_t kMostFindings = 16;

struct Standing {
  PeId pe;
  const device::Grid* grid = nullptr;  // null: the host
  uint32_t block = 0, thread = 0;
  Op op;
};

// A word of the program that someone waits for, alone or in a loop.
bool waits_for_a_word(const Op& op) {
  return op.kind == OpKind::wait || op.kind == OpKind::wait_set || op.kind == OpKind::test || op.kind == OpKind::poll;
}

class Explanation {
 public:
  explicit Explanation(World& world) : world_(world) {
    world.machine.for_each_waiting([&](const device::Actor& actor, const device::Grid* grid) {
      Standing s{.pe = actor.pe, .grid = grid, .op = actor.stop};
      if (grid) {
        auto& lane = static_cast<const device::Lane&>(actor);
        s.block = lane.warp->cta->index, s.thread = lane.thread;
      }
      standing_.push_back(s);
    });
  }

  void add() {
    if (blocks_without_room()) return;  // what the others wait for follows from it
    missing_members();
    words_that_stay();
  }

 private:
  bool in_scratch(const Op& op) const {
    if (!world_.heap.contains(op.remote)) return false;
    PeId owner{world_.heap.slot_of(op.remote)};
    uint64_t begin = scratch_of(world_, owner, 0), teams = world_.all_pes[0]->shmem.teams.size();
    return op.remote >= begin && op.remote < begin + teams * world_.scratch.total();
  }
  bool waits_for_program(const Standing& s) const {
    return waits_for_a_word(s.op) && !in_scratch(s.op) && !(s.grid && s.grid->launch.internal && !s.op.remote);
  }
  FindingPlace place(const Standing& s, std::string call) const {
    SourceLine line = world_.symbols.line(s.op.site);
    std::string who = fmt::format("PE {}", s.pe.value);
    who += s.grid ? fmt::format(" {} block {} thread {}", s.grid->launch.name, s.block, s.thread) : " host";
    return {line.file, line.line, who, std::move(call)};
  }
  FindingPlace place(PeId pe, uint64_t site, std::string call) const {
    SourceLine line = world_.symbols.line(site);
    return {line.file, line.line, fmt::format("PE {}", pe.value), std::move(call)};
  }
  void report(const char* rule, std::string what, std::string values, std::string remedy, FindingPlace first,
              FindingPlace second) {
    if (++reported_ > kMostFindings) return;
    Finding f;
    f.rule = rule;
    f.what = std::move(what);
    f.values = std::move(values);
    f.remedy = std::move(remedy);
    f.first = std::move(first);
    f.second = std::move(second);
    world_.report.findings.add(std::move(f));
  }

  bool blocks_without_room() {
    bool found = false;
    world_.machine.for_each_unplaced([&](const device::Grid& grid) {
      auto spins = std::find_if(standing_.begin(), standing_.end(),
                                [&](const Standing& s) { return s.grid == &grid && waits_for_a_word(s.op); });
      if (spins == standing_.end())
        spins = std::find_if(standing_.begin(), standing_.end(), [&](const Standing& s) { return s.grid == &grid; });
      if (spins == standing_.end()) return;
      found = true;
      report("launch.not-coresident", "blocks wait for blocks of the same kernel that have no place on the GPU",
             fmt::format("{}: {} of {} blocks wait for room; the GPU holds {} at once", grid.launch.name,
                         grid.blocks() - grid.next_block, grid.blocks(),
                         device::Gpu::resident_limit(world_.platform.gpu, grid.threads(), grid.launch.shared_bytes)),
             "launch no more blocks than nvshmemx_collective_launch_query_gridsize says", place(*spins, "wait"),
             place(grid.pe, grid.launch.site, "launch"));
    });
    return found;
  }

  void missing_members() {
    for (auto& [key, call] : world_.team_calls) {
      const Members& members = team(std::get<0>(key), call.callers.front());
      if (!members) continue;
      for (PeId member : *members) {
        if (std::find(call.callers.begin(), call.callers.end(), member) != call.callers.end()) continue;
        const Standing* at = nullptr;  // what it does instead
        bool has_own_reason = false;
        for (const Standing& s : standing_) {
          if (s.pe != member) continue;
          has_own_reason |= waits_for_program(s);
          if (!at || s.grid) at = &s;
        }
        if (has_own_reason || !told_.insert(member.value).second) continue;
        report("coll.participation", "a member of the team does not come to a collective that others wait in",
               fmt::format("collective {} of team {}: {} of {} members have come, PE {} has not", std::get<2>(key),
                           std::get<0>(key), call.callers.size(), members->size(), member.value),
               "call collectives on all members of the team, in the same order",
               place(call.first, call.site, call.name),
               at ? place(*at, "stands here") : place(member, call.site, "has ended"));
      }
    }
  }

  const Members& team(int handle, PeId member) const {
    static const Members none;
    auto& teams = world_.all_pes[static_cast<size_t>(member.value)]->shmem.teams;
    return handle >= 0 && handle < static_cast<int>(teams.size()) ? teams[static_cast<size_t>(handle)].members : none;
  }

  void words_that_stay() {
    std::set<uint64_t> sites;
    for (const Standing& s : standing_) {
      if (!waits_for_program(s) || !sites.insert(s.op.site).second) continue;
      std::string values = "memory that nobody changes";
      if (s.op.remote) {
        values = world_.symbols.address(s.pe, s.op.remote);
        if (s.op.bytes && s.op.bytes <= 8)
          values +=
              fmt::format("; it is {}", device::load_bits(reinterpret_cast<const std::byte*>(s.op.remote), s.op.bytes));
      }
      bool passed = false;  // the value came, and went on
      if (s.op.kind == OpKind::wait && s.op.function == Op::kEqual && s.op.remote)
        passed = device::load_bits(reinterpret_cast<const std::byte*>(s.op.remote), s.op.bytes) > s.op.value;
      auto writer = s.op.remote ? world_.machine.last_writer(s.op.remote) : std::nullopt;
      report(passed ? "sync.lost-wakeup" : "sync.never",
             passed ? "a wait for an exact value has missed it: the word has moved past it"
                    : "nothing that can still happen ends this wait",
             values,
             passed ? "wait for >= with values that only grow"
                    : "write the word that is waited for, on the PE that waits, with a value that meets the condition",
             place(s, "wait"), writer ? place(writer->first, writer->second, "last write") : place(s, "wait"));
    }
  }

  World& world_;
  std::vector<Standing> standing_;
  std::set<int> told_;
  size_t reported_ = 0;
};

}  // namespace

void explain_deadlock(World& world) { Explanation(world).add(); }

}  // namespace shmemu::emu
