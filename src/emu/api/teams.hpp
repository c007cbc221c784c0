// Predefined teams and the numbering of PEs in them (NVSHMEM 3.3.9, team management chapter).
#pragma once
#include <optional>
#include <vector>

#include "emu/core/pe.hpp"

namespace shmemu::emu {

// World numbers of the members in team order, as seen by `pe`; empty for an unknown team.
std::vector<PeId> team_members(const Pe& pe, int team);
std::optional<int> index_in(const std::vector<PeId>& members, PeId pe);
constexpr int kPredefinedTeams = 6;

}  // namespace shmemu::emu
