// OpenSHMEM 1.5, 9.11: collectives that NVSHMEM does not have, and the active sets of older programs.
#include <cstring>
#include <numeric>

#include "emu/api/checks.hpp"
#include "emu/api/collectives.hpp"
#include "emu/api/teams.hpp"
#include "emu/core/broken_rule.hpp"
#include "emu/mpi/mpi.hpp"
#include "shmem.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

constexpr uint64_t kCollectContext = 1ull << 62;  // clear of those of MPI and of unique ids

Pe* member(int team, const char* call, uint64_t site) {
  Pe& pe = shmem_pe(call, site);
  const Members& members = team_members(pe, team);
  return members && index_in(*members, pe.id) ? &pe : nullptr;
}

// The job's number of member `i`.
int number_of(Pe& pe, const std::vector<PeId>& members, int i) {
  return *index_in(pe.shmem.job->members, members[static_cast<size_t>(i)]);
}

}  // namespace

extern "C" {

int __shmemu_collect(shmem_team_t team, void* dest, const void* source, size_t bytes) {
  uint64_t site = SHMEMU_SITE();
  Pe* pe = member(team, "collect", site);
  if (!pe) return -1;
  Outer outer(site);
  const std::vector<PeId>& members = *team_members(*pe, team);
  mpi::Communicator comm{kCollectContext | static_cast<uint64_t>(team), members, *index_in(members, pe->id)};
  std::vector<uint64_t> sizes(members.size());
  uint64_t mine = bytes;
  mpi::allgather(comm, &mine, sizes.data(), sizeof mine, site);
  uint64_t offset = std::accumulate(sizes.begin(), sizes.begin() + comm.me, uint64_t{0});
  for (int i = 0; i < comm.size(); ++i) {
    int to = (comm.me + i) % comm.size();
    if (bytes)
      __shmemu_put(static_cast<char*>(dest) + offset, source, bytes, number_of(*pe, members, to), SHMEMU_THREAD, 1);
  }
  host_barrier(site, team, "collect");
  return 0;
}

int __shmemu_alltoalls(shmem_team_t team, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,
                       size_t element_bytes) {
  uint64_t site = SHMEMU_SITE();
  Pe* pe = member(team, "alltoalls", site);
  if (!pe) return -1;
  Outer outer(site);
  const std::vector<PeId>& members = *team_members(*pe, team);
  int me = *index_in(members, pe->id), n = static_cast<int>(members.size());
  auto at = [&](int i, ptrdiff_t stride) {
    return static_cast<ptrdiff_t>(i) * stride * static_cast<ptrdiff_t>(nelems * element_bytes);
  };
  for (int i = 0; i < n; ++i) {
    int to = (me + i) % n;
    __shmemu_iput(static_cast<char*>(dest) + at(me, dst), static_cast<const char*>(source) + at(to, sst), dst, sst,
                  nelems, element_bytes, number_of(*pe, members, to), SHMEMU_THREAD);
  }
  host_barrier(site, team, "alltoalls");
  return 0;
}

shmem_team_t __shmemu_active_set(int start, int log_stride, int size) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("a collective of an active set", site);
  int team = active_set_team(pe, start, log_stride, size);
  if (team == SHMEM_TEAM_INVALID)
    program_error(
        site,
        "the active set of {} PEs from PE {} with stride 2^{} is empty, has PEs that do not exist, or is one set "
        "too many ({} at a time)",
        size, start, log_stride, pe.world.most_teams() - kPredefinedTeams);
  const Members& members = team_members(pe, team);
  if (!index_in(*members, pe.id))
    broken_rule("coll.participation", "active set", site, {},
                "PE {} is not in the active set of {} PEs from PE {} with stride 2^{}", pe.shmem.rank, size, start,
                log_stride);
  return team;
}

void __shmemu_active_broadcast(void* dest, const void* source, size_t bytes, int root, shmem_team_t set) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("broadcast", site);
  Outer outer(site);
  const std::vector<PeId>& members = *team_members(pe, set);
  if (root < 0 || root >= static_cast<int>(members.size()))
    program_error(site, "broadcast: root {} is not in the active set of {} PEs", root, members.size());
  if (members[static_cast<size_t>(root)] == pe.id)
    for (int i = 0; i < static_cast<int>(members.size()); ++i)
      if (i != root) __shmemu_put(dest, source, bytes, number_of(pe, members, i), SHMEMU_THREAD, 1);
  host_barrier(site, set, "broadcast");
}

}  // extern "C"
