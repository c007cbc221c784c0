// Communicators: who talks to whom (MPI 3.1, chapter 6). A new one gets a context that no other communicator has,
// chosen by the parent's rank 0 and made known to all its members.
#include <algorithm>
#include <tuple>

#include "emu/mpi/mpi.hpp"

namespace shmemu::emu::mpi {

Communicator& communicator(MPI_Comm handle, const char* call, uint64_t site) {
  MpiState& s = running(call, site);
  auto at = s.communicators.find(handle);
  if (at == s.communicators.end())
    program_error(site, "{}: {}", call,
                  handle ? "this communicator does not exist or has been freed" : "the communicator is MPI_COMM_NULL");
  return at->second;
}

int checked_rank(const Communicator& comm, int rank, const char* call, uint64_t site) {
  if (rank < 0 || rank >= comm.size())
    program_error(site, "{}: rank {} is not in the communicator, which has ranks 0 to {}", call, rank, comm.size() - 1);
  return rank;
}

namespace {

// Room for as many children of one split: contexts are (PE that made them, its count, number of the child).
constexpr uint64_t kChildBits = 16, kCountBits = 32;

uint64_t new_contexts(const Communicator& parent, uint64_t site) {
  uint64_t base = 0;
  if (parent.me == 0) {
    auto pe = static_cast<uint64_t>(g_current.pe->id.value);
    base = (pe + 1) << (kCountBits + kChildBits) | ++state().contexts << kChildBits;
  }
  broadcast(parent, 0, &base, sizeof base, site);
  return base;
}

MPI_Comm enter(Communicator comm) {
  MpiState& s = state();
  auto made = std::make_unique<shmemu_mpi_comm>();
  MPI_Comm handle = made.get();
  s.made[handle] = std::move(made);
  s.communicators[handle] = std::move(comm);
  return handle;
}

MPI_Comm split(const Communicator& parent, int colour, int key, uint64_t site) {
  struct Member {
    int colour, key;
  };
  Member mine{colour, key};
  std::vector<Member> all(static_cast<size_t>(parent.size()));
  allgather(parent, &mine, all.data(), sizeof mine, site);
  uint64_t base = new_contexts(parent, site);
  if (colour == MPI_UNDEFINED) return MPI_COMM_NULL;
  std::vector<int> colours;
  std::vector<std::pair<int, int>> chosen;  // key, rank in the parent
  for (int i = 0; i < parent.size(); ++i) {
    const Member& m = all[static_cast<size_t>(i)];
    if (m.colour != MPI_UNDEFINED) colours.push_back(m.colour);
    if (m.colour == colour) chosen.emplace_back(m.key, i);
  }
  std::sort(colours.begin(), colours.end());
  colours.erase(std::unique(colours.begin(), colours.end()), colours.end());
  std::sort(chosen.begin(), chosen.end());
  Communicator out;
  out.context =
      base + static_cast<uint64_t>(std::lower_bound(colours.begin(), colours.end(), colour) - colours.begin());
  for (auto& [k, rank] : chosen) {
    if (rank == parent.me) out.me = out.size();
    out.ranks.push_back(parent.ranks[static_cast<size_t>(rank)]);
  }
  return enter(std::move(out));
}

}  // namespace
}  // namespace shmemu::emu::mpi

using namespace shmemu;
using namespace shmemu::emu;
using namespace shmemu::emu::mpi;

extern "C" {

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = communicator(comm, "MPI_Comm_rank", SHMEMU_SITE()).me;
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = communicator(comm, "MPI_Comm_size", SHMEMU_SITE()).size();
  return MPI_SUCCESS;
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* out) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& parent = communicator(comm, "MPI_Comm_split", site);
  if (colour < 0 && colour != MPI_UNDEFINED)
    program_error(site, "MPI_Comm_split: the colour is {}; it must be MPI_UNDEFINED or not negative", colour);
  *out = split(parent, colour, key, site);
  return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* out) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& parent = communicator(comm, "MPI_Comm_split_type", site);
  if (type != MPI_COMM_TYPE_SHARED && type != MPI_UNDEFINED)
    program_error(site, "MPI_Comm_split_type: type {} is unknown; use MPI_COMM_TYPE_SHARED", type);
  Pe& pe = *g_current.pe;
  *out = split(parent, type == MPI_UNDEFINED ? MPI_UNDEFINED : pe.world.node_of(pe.id), key, site);
  return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* out) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& parent = communicator(comm, "MPI_Comm_dup", site);
  *out = split(parent, 0, parent.me, site);
  return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm* comm) {
  uint64_t site = SHMEMU_SITE();
  MpiState& s = running("MPI_Comm_free", site);
  if (!s.made.contains(*comm)) program_error(site, "MPI_Comm_free: the communicator is predefined or has been freed");
  barrier(s.communicators.at(*comm), site);
  s.communicators.erase(*comm);
  s.made.erase(*comm);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int* result) {
  uint64_t site = SHMEMU_SITE();
  const Communicator &x = communicator(a, "MPI_Comm_compare", site), &y = communicator(b, "MPI_Comm_compare", site);
  auto left = x.ranks, right = y.ranks;
  bool same_order = left == right;
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  *result = a == b ? MPI_IDENT : same_order ? MPI_CONGRUENT : left == right ? MPI_SIMILAR : MPI_UNEQUAL;
  return MPI_SUCCESS;
}

// Wrong arguments end the run whatever is set; the calls themselves do not fail.
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler) {
  communicator(comm, "MPI_Comm_set_errhandler", SHMEMU_SITE());
  return MPI_SUCCESS;
}

}  // extern "C"
