#include "emu/api/teams.hpp"

#include <algorithm>

#include "emu/api/checks.hpp"

namespace shmemu::emu {
namespace {

enum { kWorld = 0, kShared = 1, kNode = 2, kSameMypeNode = 3, kSameGpu = 4, kGpuLeaders = 5 };

}  // namespace

std::vector<PeId> team_members(const Pe& pe, int team) {
  World& world = pe.world;
  std::vector<PeId> members;
  int per_node = world.gpus_per_node();
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
    if (in) members.push_back(other->id);
  }
  return members;
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
  return index_in(team_members(pe, team), pe.id).value_or(-1);
}

int nvshmem_team_n_pes(int team) {
  Pe& pe = shmem_pe("nvshmem_team_n_pes", SHMEMU_SITE());
  if (team == 0) return pe.world.pes();
  auto members = team_members(pe, team);
  return members.empty() ? -1 : static_cast<int>(members.size());
}

int nvshmem_team_translate_pe(int from_team, int number, int to_team) {
  Pe& pe = shmem_pe("nvshmem_team_translate_pe", SHMEMU_SITE());
  auto from = team_members(pe, from_team), to = team_members(pe, to_team);
  if (number < 0 || number >= static_cast<int>(from.size())) return -1;
  return index_in(to, from[static_cast<size_t>(number)]).value_or(-1);
}

}  // extern "C"
