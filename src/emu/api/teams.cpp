#include "emu/api/teams.hpp"

#include <algorithm>

#include "emu/api/checks.hpp"

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
  for (const auto& other : world.all_pes) {
    bool in = false;
    switch (team) {
      case kWorld:
      case kGpuLeaders: in = true; break;
      case kShared: in = world.router.load_store(pe.id, other->id); break;
      case kNode: in = world.node_of(pe.id) == world.node_of(other->id); break;
      case kSameMypeNode: in = pe.id.value % per_node == other->id.value % per_node; break;
      case kSameGpu: in = pe.id == other->id; break;
      default: break;
    }
    if (in) members->push_back(other->id);
  }
  if (members->size() < world.all_pes.size()) return found = members;
  if (!world.everybody) world.everybody = members;
  return found = world.everybody;
}

std::optional<int> index_in(const std::vector<PeId>& members, PeId pe) {
  auto at = std::lower_bound(members.begin(), members.end(), pe);
  return at != members.end() && *at == pe ? std::optional(static_cast<int>(at - members.begin())) : std::nullopt;
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

int nvshmem_my_pe() { return shmem_pe("nvshmem_my_pe", SHMEMU_SITE()).id.value; }
int nvshmem_n_pes() { return shmem_pe("nvshmem_n_pes", SHMEMU_SITE()).world.pes(); }

int nvshmem_team_my_pe(int team) {
  Pe& pe = shmem_pe("nvshmem_team_my_pe", SHMEMU_SITE());
  if (team == 0) return pe.id.value;
  const Members& members = team_members(pe, team);
  return members ? index_in(*members, pe.id).value_or(-1) : -1;
}

int nvshmem_team_n_pes(int team) {
  Pe& pe = shmem_pe("nvshmem_team_n_pes", SHMEMU_SITE());
  if (team == 0) return pe.world.pes();
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
