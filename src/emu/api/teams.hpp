// Predefined teams and the numbering of PEs in them (NVSHMEM 3.3.9, team management chapter).
#pragma once
#include <optional>
#include <vector>

#include "emu/core/pe.hpp"

namespace shmemu::emu {

// World numbers of the members in team order, as seen by `pe`; null for an unknown team.
const Members& team_members(Pe& pe, int team);
std::optional<int> index_in(const std::vector<PeId>& members, PeId pe);
constexpr int kPredefinedTeams = 6;
constexpr int kMostTeams = 64;  // NVSHMEM_MAX_TEAMS where NVLS is present

}  // namespace shmemu::emu
