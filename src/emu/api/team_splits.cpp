// Making and destroying teams (NVSHMEM 3.3.9, team management chapter). A split counts in the parent's numbering, is
// collective over the parent, and gives every member the same handle. Invalid requests give the invalid handle and a
// non-zero result on every caller.
#include <algorithm>
#include <string_view>

#include "emu/api/checks.hpp"
#include "emu/api/collectives.hpp"
#include "emu/api/team_endpoint.hpp"
#include "emu/api/teams.hpp"
#include "emu/core/broken_rule.hpp"
#include "shmemu/nvshmem/types_constants.h"

namespace shmemu::emu {
namespace {

bool is_team(Pe& pe, int team) {
  const Members& members = team_members(pe, team);
  return members && index_in(*members, pe.id).has_value();
}

// The handle that is free on all members, settled by the first of them that asks.
int make_team(World& world, const World::SplitKey& key, std::vector<PeId> chosen) {
  if (auto at = world.splits.find(key); at != world.splits.end()) return at->second;
  auto free_everywhere = [&](int handle) {
    return std::all_of(chosen.begin(), chosen.end(), [&](PeId member) {
      return !world.all_pes[static_cast<size_t>(member.value)]->shmem.teams[static_cast<size_t>(handle)].members;
    });
  };
  int handle = kPredefinedTeams;
  while (handle < world.most_teams() && !free_everywhere(handle)) ++handle;
  if (handle == world.most_teams()) return world.splits[key] = NVSHMEM_TEAM_INVALID;
  auto members = std::make_shared<const std::vector<PeId>>(std::move(chosen));
  for (PeId member : *members) {
    ShmemState& shmem = world.all_pes[static_cast<size_t>(member.value)]->shmem;
    TeamState& t = shmem.teams[static_cast<size_t>(handle)];
    t.members = members;
    t.splits = t.requests = 0;
    t.calls = 0;
    t.numbers = {};
    t.all_load_store.reset();
    t.chosen.reset();
    clear_scratch(world, member, handle);  // everyone has left the last barrier of an earlier team of this handle
  }
  return world.splits[key] = handle;
}

// All members must ask for the same teams: a split is collective over the parent.
void agree(Pe& pe, int parent, std::vector<int> wanted, std::string text, const char* call, uint64_t site) {
  const Members& members = team_members(pe, parent);
  TeamState& team = pe.shmem.teams[static_cast<size_t>(parent)];
  auto key = std::tuple(parent, team.generation, team.requests++, members->front());
  auto [at, fresh] = pe.world.split_requests.try_emplace(key, World::SplitRequest{wanted, pe.id, site, call, text, 0});
  const World::SplitRequest& first = at->second;
  if (first.wanted != wanted || std::string_view(first.call) != call)
    broken_rule("coll.mismatch", call, site, {first.first, first.site, first.call, ""},
                "split {} of team {}: here {}, on PE {} {} {} ({}); all members of the parent must ask for the same",
                team.requests - 1, parent, text, first.first.value, first.call, first.text,
                pe.world.symbols.site(first.first, first.site));
  if (++at->second.callers == members->size()) pe.world.split_requests.erase(at);
}

// Splits the parent by `colour` of the member numbers; negative = in no team. Collective.
int split(Pe& pe, int parent, const char* call, uint64_t site, int my_colour, const std::vector<int>& colours,
          nvshmem_team_t* out) {
  uint64_t number = pe.shmem.teams[static_cast<size_t>(parent)].splits++;
  *out = NVSHMEM_TEAM_INVALID;
  int result = 0;
  if (my_colour >= 0) {
    const std::vector<PeId>& members = *team_members(pe, parent);
    std::vector<PeId> chosen;
    for (size_t i = 0; i < members.size(); ++i)
      if (colours[i] == my_colour) chosen.push_back(members[i]);
    World::SplitKey key{parent, pe.shmem.teams[static_cast<size_t>(parent)].generation, number, members.front(),
                        chosen.front()};
    *out = make_team(pe.world, key, std::move(chosen));
    result = *out == NVSHMEM_TEAM_INVALID;  // no handle is left
  }
  host_barrier(site, parent, call);
  return result;
}

}  // namespace

int active_set_team(Pe& pe, int start, int log_stride, int size) {
  const std::vector<PeId>& all = pe.shmem.job->members;
  std::vector<PeId> chosen;
  for (int i = 0; i < size; ++i) {
    int64_t number = start + (int64_t{i} << log_stride);
    if (number < 0 || number >= static_cast<int64_t>(all.size())) return NVSHMEM_TEAM_INVALID;
    chosen.push_back(all[static_cast<size_t>(number)]);
  }
  if (chosen.empty()) return NVSHMEM_TEAM_INVALID;
  if (chosen.size() == all.size()) return NVSHMEM_TEAM_WORLD;
  World::SplitKey key{-1, static_cast<uint64_t>(log_stride), static_cast<uint64_t>(size), all.front(), chosen.front()};
  return make_team(pe.world, key, std::move(chosen));
}

int team_of(Pe& pe, uint64_t key, std::vector<PeId> members) {
  World::SplitKey split{-1, 0, key, pe.shmem.job->members.front(), members.front()};
  return make_team(pe.world, split, std::move(members));
}

int split_strided(int parent, int start, int stride, int size, int* out, const char* call, uint64_t site) {
  Pe& pe = shmem_pe(call, site);
  *out = NVSHMEM_TEAM_INVALID;
  if (!is_team(pe, parent)) {
    if (parent != NVSHMEM_TEAM_INVALID) report_no_member(pe, parent, call, site);  // else legal: no team
    return NVSHMEMX_ERROR_INVALID_VALUE;
  }
  int n = static_cast<int>(team_members(pe, parent)->size());
  agree(pe, parent, {start, stride, size}, fmt::format("start {}, stride {}, size {}", start, stride, size), call,
        site);
  if (start < 0 || start >= n || size < 1 || stride < 1 || start + int64_t{stride} * (size - 1) >= n)
    return NVSHMEMX_ERROR_INVALID_VALUE;
  std::vector<int> colours(static_cast<size_t>(n), -1);
  for (int i = 0; i < size; ++i) colours[static_cast<size_t>(start + i * stride)] = 0;
  int me = *index_in(*team_members(pe, parent), pe.id);
  return split(pe, parent, call, site, colours[static_cast<size_t>(me)], colours, out);
}

int split_2d(int parent, int xrange, int* x, int* y, const char* call, uint64_t site) {
  Pe& pe = shmem_pe(call, site);
  *x = *y = NVSHMEM_TEAM_INVALID;
  if (!is_team(pe, parent)) {
    if (parent != NVSHMEM_TEAM_INVALID) report_no_member(pe, parent, call, site);
    return NVSHMEMX_ERROR_INVALID_VALUE;
  }
  agree(pe, parent, {xrange}, fmt::format("xrange {}", xrange), call, site);
  if (xrange < 1) return NVSHMEMX_ERROR_INVALID_VALUE;
  int n = static_cast<int>(team_members(pe, parent)->size());
  int me = *index_in(*team_members(pe, parent), pe.id);
  xrange = std::min(xrange, n);
  std::vector<int> rows, columns;
  for (int i = 0; i < n; ++i) rows.push_back(i / xrange), columns.push_back(i % xrange);
  int failed = split(pe, parent, call, site, me / xrange, rows, x);
  return split(pe, parent, call, site, me % xrange, columns, y) || failed;
}

void destroy_team(int team, const char* call, uint64_t site) {
  Pe& pe = shmem_pe(call, site);
  if (team == NVSHMEM_TEAM_INVALID) return;
  if (team < kPredefinedTeams && team >= 0) broken_rule("team.invalid", call, site, {}, "team {} is predefined", team);
  if (!is_team(pe, team)) broken_rule("team.invalid", call, site, {}, "team {} does not exist", team);
  host_barrier(site, team, call);
  TeamState& mine = pe.shmem.teams[static_cast<size_t>(team)];
  uint64_t generation = mine.generation + 1;
  std::erase_if(pe.world.splits, [&](auto& entry) {
    return entry.second == team && entry.first.first_of_team == mine.members->front();
  });
  mine = {};
  mine.generation = generation;
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

int nvshmem_team_split_strided(nvshmem_team_t parent, int start, int stride, int size, const nvshmem_team_config_t*,
                               long, nvshmem_team_t* out) {
  return split_strided(parent, start, stride, size, out, "nvshmem_team_split_strided", SHMEMU_SITE());
}

int nvshmem_team_split_2d(nvshmem_team_t parent, int xrange, const nvshmem_team_config_t*, long, nvshmem_team_t* x,
                          const nvshmem_team_config_t*, long, nvshmem_team_t* y) {
  return split_2d(parent, xrange, x, y, "nvshmem_team_split_2d", SHMEMU_SITE());
}

void nvshmem_team_get_config(nvshmem_team_t team, nvshmem_team_config_t* out) {
  Pe& pe = shmem_pe("nvshmem_team_get_config", SHMEMU_SITE());
  if (!out || !is_team(pe, team)) return;
  *out = NVSHMEM_TEAM_CONFIG_INITIALIZER;
  out->num_contexts = 0;
}

void nvshmem_team_destroy(nvshmem_team_t team) { destroy_team(team, "nvshmem_team_destroy", SHMEMU_SITE()); }

}  // extern "C"
