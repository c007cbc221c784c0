// Predefined teams and the numbering of PEs in them (NVSHMEM 3.3.9, team management chapter).
#pragma once
#include <optional>
#include <vector>

#include "emu/core/pe.hpp"

namespace shmemu::emu {

// World numbers of the members in team order, as seen by `pe`; null for an unknown team.
const Members& team_members(Pe& pe, int team);
// A finding: `call` names a team that does not exist, or one that the PE is not a member of.
void report_no_member(Pe& pe, int team, const char* call, uint64_t site);
// Whether NVSHMEM has multicast memory (NVLS) over these PEs: two or more that NVLink connects, and GPUs that have it.
bool has_multicast(const World& world, const std::vector<PeId>& members);
std::optional<int> index_in(const std::vector<PeId>& members, PeId pe);
// The team of an active set of OpenSHMEM, made at its first use; -1 when its PEs do not exist or no handle is left.
int active_set_team(Pe& pe, int start, int log_stride, int size);
// The team of these members in this order, which all of them ask for with the same key; -1 when no handle is left.
int team_of(Pe& pe, uint64_t key, std::vector<PeId> members);
// The calls of NVSHMEM and OpenSHMEM that make and destroy teams (team_splits.cpp); `call` is the one the program made.
int split_strided(int parent, int start, int stride, int size, int* out, const char* call, uint64_t site);
int split_2d(int parent, int xrange, int* x, int* y, const char* call, uint64_t site);
void destroy_team(int team, const char* call, uint64_t site);  // collective over the team; predefined teams stay
constexpr int kPredefinedTeams = 6;

}  // namespace shmemu::emu
