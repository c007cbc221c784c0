#include "emu/api/teams.hpp"

#include <algorithm>

#include "emu/api/checks.hpp"
#include "emu/core/broken_rule.hpp"

namespace shmemu::emu {
namespace {

enum { kWorld = 0, kShared = 1, kNode = 2, kSameMypeNode = 3, kSameGpu = 4, kGpuLeaders = 5 };

}  // namespace

const Members& team_members(Pe& pe, int team) {
  static const Members none;
  if (team < 0 || team >= static_cast<int>(pe.shmem.teams.size())) return none;
  Members& found = pe.shmem.teams[static_cast<size_t>(team)].members;
  if (found || team >= kPredefinedTeams) return found;
  World& world = pe.world;
  auto members = std::make_shared<std::vector<PeId>>();
  int per_node = world.placement.pes_per_node;
  const std::shared_ptr<Job>& job = pe.shmem.job;
  for (PeId other : job->members) {
    bool in = false;
    switch (team) {
      case kWorld:
      case kGpuLeaders:
        in = true;
        break;
      case kShared:
        in = world.router.load_store(pe.id, other);
        break;
      case kNode:
        in = world.node_of(pe.id) == world.node_of(other);
        break;
      case kSameMypeNode:
        in = pe.id.value % per_node == other.value % per_node;
        break;
      case kSameGpu:
        in = pe.id == other;
        break;
      default:
        break;
    }
    if (in) members->push_back(other);
  }
  if (members->size() < job->members.size()) return found = members;
  return found = Members(job, &job->members);  // shared by all teams that have everybody
}

void report_no_member(Pe& pe, int team, const char* call, uint64_t site) {
  bool of_others = false;
  for (auto& other : pe.world.all_pes)
    of_others |= team >= kPredefinedTeams && team < static_cast<int>(other->shmem.teams.size()) &&
                 other->shmem.teams[static_cast<size_t>(team)].members;
  std::string values = fmt::format("team {}{}", team, team == -1 ? " (NVSHMEM_TEAM_INVALID)" : "");
  if (of_others)
    note_broken({"coll.participation", call, site, "this PE is not a member of the team; nothing is done", values,
                 "call it on the members only: the others have NVSHMEM_TEAM_INVALID from the split"});
  else
    note_broken({"team.invalid", call, site, "the team does not exist; nothing is done", values,
                 "compare the handle with NVSHMEM_TEAM_INVALID after the split, and look at its result"});
}

bool has_multicast(const World& world, const std::vector<PeId>& members) {
  return members.size() > 1 && !world.settings.disable_nvls &&
         world.platform.gpu.collectives.multicast_rate.bytes_per_second > 0 &&
         std::all_of(members.begin(), members.end(),
                     [&](PeId other) { return world.router.load_store(members.front(), other); });
}

std::optional<int> index_in(const std::vector<PeId>& members, PeId pe) {
  auto at = std::lower_bound(members.begin(), members.end(), pe);
  if (at == members.end() || *at != pe) at = std::find(members.begin(), members.end(), pe);  // in another order
  return at != members.end() ? std::optional(static_cast<int>(at - members.begin())) : std::nullopt;
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

int nvshmem_my_pe() { return shmem_pe("nvshmem_my_pe", SHMEMU_SITE()).shmem.rank; }
int nvshmem_n_pes() { return static_cast<int>(shmem_pe("nvshmem_n_pes", SHMEMU_SITE()).shmem.job->members.size()); }

int nvshmem_team_my_pe(int team) {
  Pe& pe = shmem_pe("nvshmem_team_my_pe", SHMEMU_SITE());
  if (team == 0) return pe.shmem.rank;
  const Members& members = team_members(pe, team);
  return members ? index_in(*members, pe.id).value_or(-1) : -1;
}

int nvshmem_team_n_pes(int team) {
  Pe& pe = shmem_pe("nvshmem_team_n_pes", SHMEMU_SITE());
  if (team == 0) return static_cast<int>(pe.shmem.job->members.size());
  const Members& members = team_members(pe, team);
  return members ? static_cast<int>(members->size()) : -1;
}

int nvshmem_team_translate_pe(int from_team, int number, int to_team) {
  Pe& pe = shmem_pe("nvshmem_team_translate_pe", SHMEMU_SITE());
  const Members &from = team_members(pe, from_team), &to = team_members(pe, to_team);
  if (!from || !to || number < 0 || number >= static_cast<int>(from->size())) return -1;
  return index_in(*to, (*from)[static_cast<size_t>(number)]).value_or(-1);
}

}  // extern "C"
