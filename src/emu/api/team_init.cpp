// Teams of arbitrary PEs: a unique id, which one PE makes and the program sends to the others, brings the members
// together (NVSHMEM 3.3.9, nvshmemx_team_get_uniqueid and nvshmemx_team_init). Also the meeting itself, which
// initialisation uses.
#include <algorithm>
#include <cstring>

#include "emu/api/checks.hpp"
#include "emu/api/collectives.hpp"
#include "emu/api/meeting.hpp"
#include "emu/api/teams.hpp"
#include "emu/cuda/runtime_state.hpp"
#include "shmemu/nvshmem/types_constants.h"

namespace shmemu::emu {

// The last one to come tells the others.
std::vector<PeId> meet_by_rank(uint64_t key, int rank, int ranks, const char* call, uint64_t site) {
  Pe& pe = *g_current.pe;
  auto& seats = pe.world.meetings[key];
  if (seats.empty()) seats.resize(static_cast<size_t>(ranks), PeId{-1});
  if (seats.size() != static_cast<size_t>(ranks))
    program_error(site, "{}: PE {} says {} members, others with the same id say {}", call, pe.id.value, ranks,
                  seats.size());
  PeId& seat = seats[static_cast<size_t>(rank)];
  if (seat.value >= 0)
    program_error(site, "{}: PE {} and PE {} both say that they are number {}", call, seat.value, pe.id.value, rank);
  seat = pe.id;
  if (std::none_of(seats.begin(), seats.end(), [](PeId p) { return p.value < 0; })) {
    std::vector<PeId> all = std::move(seats);
    pe.world.meetings.erase(key);
    for (PeId other : all)
      if (other != pe.id) send_message(other, key, 0, all.data(), all.size() * sizeof(PeId), site);
    return all;
  }
  const Message* found;
  while (!(found = find_message(pe.inbox, [&](const Message& m) { return m.context == key; }))) wait_for_message(site);
  Message answer = take_message(pe.inbox, found);
  std::vector<PeId> all(static_cast<size_t>(ranks));
  std::memcpy(all.data(), answer.data.get(), answer.bytes);
  return all;
}

namespace {

constexpr uint64_t kTeamContext = 1ull << 61;  // clear of communicators, initialisations and collects
struct TeamIds {
  uint32_t made = 0;
};

}  // namespace
}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

int nvshmemx_team_get_uniqueid(nvshmemx_team_uniqueid_t* out) {
  Pe& pe = shmem_pe("nvshmemx_team_get_uniqueid", SHMEMU_SITE());
  if (!out) return NVSHMEMX_ERROR_INVALID_VALUE;
  *out = kTeamContext | static_cast<uint64_t>(pe.id.value) << 32 | kept<TeamIds>(pe).made++;
  return NVSHMEMX_SUCCESS;
}

// Collective over the members: `size` of them, the caller is number `index`.
int nvshmemx_team_init(nvshmem_team_t* out, nvshmem_team_config_t* config, long mask, int size, int index) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("nvshmemx_team_init", site);
  if (!out) return NVSHMEMX_ERROR_INVALID_VALUE;
  *out = NVSHMEM_TEAM_INVALID;
  if (!config || !(mask & NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID) || !(config->uniqueid & kTeamContext) || size < 1 ||
      size > static_cast<int>(pe.shmem.job->members.size()) || index < 0 || index >= size)
    return NVSHMEMX_ERROR_INVALID_VALUE;
  std::vector<PeId> members = meet_by_rank(config->uniqueid, index, size, "nvshmemx_team_init", site);
  *out = team_of(pe, config->uniqueid, std::move(members));
  if (*out == NVSHMEM_TEAM_INVALID) return NVSHMEMX_ERROR_INTERNAL;  // no handle is left
  host_barrier(site, *out, "nvshmemx_team_init");
  return NVSHMEMX_SUCCESS;
}

}  // extern "C"
