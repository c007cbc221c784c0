#include "emu/api/init.hpp"

#include <algorithm>
#include <cstring>

#include "emu/api/checks.hpp"
#include "emu/api/collectives.hpp"
#include "emu/api/limits.hpp"
#include "emu/api/meeting.hpp"
#include "emu/api/team_endpoint.hpp"
#include "emu/api/teams.hpp"
#include "emu/cuda/runtime_state.hpp"
#include "emu/mpi/mpi.hpp"
#include "shmemu/nvshmem/types_constants.h"

namespace shmemu::emu {

uint64_t reserve_inbox_counter(Arena& heap, int pe) {
  return reinterpret_cast<uint64_t>(heap.allocate(pe, sizeof(uint64_t), 0, "host messages", 0)) - heap.base(pe);
}

ShmemState new_shmem_state(Arena& heap, int pe, const Scratch& scratch, int teams) {
  ShmemState state;
  state.teams.resize(static_cast<size_t>(teams));
  std::byte* own =
      heap.allocate(pe, scratch.total() * static_cast<uint64_t>(teams), 0, "the library's memory for collectives", 0);
  if (!own)
    throw UserError(
        ExitCode::usage,
        fmt::format("the memory of {} teams for collectives takes {} B each; a symmetric heap of {} B is too small "
                    "(NVSHMEM_MAX_TEAMS, _FCOLLECT_LL_THRESHOLD and _LL128_THRESHOLD set its size)",
                    teams, scratch.total(), heap.stride()));
  state.scratch = reinterpret_cast<uint64_t>(own) - heap.base(pe);
  return state;
}

namespace {

void enter(const std::shared_ptr<Job>& job, const char* call, uint64_t site) {
  Pe& pe = *g_current.pe;
  if (on_device()) program_error(site, "{} is a host function", call);
  ShmemState& shmem = pe.shmem;
  if (shmem.job && shmem.job != job)
    program_error(
        site,
        "{}: this PE was initialised in a job of {} PEs before, now in another one of {}; a process cannot change "
        "its job (NVSHMEM 3.3.9 cannot either)",
        call, shmem.job->members.size(), job->members.size());
  if (shmem.initialised++ > 0) return;  // repeated initialisation is counted
  const Placement& where = pe.world.placement;
  if (pe.world.pes() % where.pes_per_node && std::strncmp(call, "nvshmem", 7) == 0)  // OpenSHMEM does not mind
    unsupported(Limit::uneven_nodes, call, fmt::format("{} PEs on nodes of {}", pe.world.pes(), where.pes_per_node),
                site);
  shmem.job = job;
  shmem.rank = *index_in(job->members, pe.id);
  if (!pe.cuda.device_chosen) pe.gpu = gpu_of_device(pe, pe.id.value % pe.world.placement.pes_per_node);
  host_barrier(site, 0, call);
}

// All PEs of the run, in their order.
std::shared_ptr<Job> job_of_all(World& world) {
  size_t n = world.all_pes.size();
  for (auto& [members, job] : world.jobs)
    if (members.size() == n && std::is_sorted(members.begin(), members.end())) return job;
  auto job = std::make_shared<Job>();
  for (auto& pe : world.all_pes) job->members.push_back(pe->id);
  return world.jobs[job->members] = job;
}

}  // namespace

void initialise(std::vector<PeId> members, const char* call, uint64_t site) {
  auto& job = g_current.world->jobs[members];
  if (!job) job = std::make_shared<Job>(Job{std::move(members), {}});
  enter(job, call, site);
}

void initialise(const char* call, uint64_t site) {
  Pe& pe = *g_current.pe;
  enter(pe.shmem.job ? pe.shmem.job : job_of_all(pe.world), call, site);
}

void finalise(const char* call, uint64_t site) {
  Pe& pe = shmem_pe(call, site);
  if (pe.shmem.initialised > 1) {
    --pe.shmem.initialised;
    return;
  }
  host_barrier(site, 0, call);
  pe.shmem.initialised = 0;
  pe.shmem.finalised = true;
}

namespace {

// What a unique id holds: who made it, and which of its ids this is. The maker brings the ranks together.
struct UniqueId {
  char mark[8] = "shmemu";
  int32_t maker = 0;
  uint32_t number = 0;
};
struct IdCount {
  uint32_t made = 0;
};
constexpr uint64_t kUniqueIdContext = 1ull << 63;

// The PEs that give this id, by rank.
std::vector<PeId> meet(const nvshmemx_uniqueid_args_t& a, uint64_t site) {
  Pe& pe = *g_current.pe;
  UniqueId id;
  std::memcpy(&id, a.id->internal, sizeof id);
  if (std::strcmp(id.mark, UniqueId{}.mark) != 0 || id.maker < 0 || id.maker >= pe.world.pes())
    program_error(
        site,
        "nvshmemx_init_attr: the unique id was not made by nvshmemx_get_uniqueid of this run; send all {} B of it "
        "from the PE that made it to the others",
        sizeof *a.id);
  uint64_t key = kUniqueIdContext | static_cast<uint64_t>(id.maker) << 32 | id.number;
  return meet_by_rank(key, a.myrank, a.nranks, "nvshmemx_init_attr", site);
}

}  // namespace
}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

void nvshmem_init() { initialise("nvshmem_init", SHMEMU_SITE()); }

int nvshmem_init_thread(int, int* provided) {
  initialise("nvshmem_init_thread", SHMEMU_SITE());
  if (provided) *provided = NVSHMEM_THREAD_SERIALIZED;  // what 3.3.9 reports, whatever was asked
  return 0;
}

void nvshmem_query_thread(int* provided) { *provided = NVSHMEM_THREAD_SERIALIZED; }

void nvshmem_finalize() { finalise("nvshmem_finalize", SHMEMU_SITE()); }

int nvshmemx_init_attr(unsigned flags, nvshmemx_init_attr_t* attributes) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = *g_current.pe;
  if ((flags & (NVSHMEMX_INIT_WITH_UNIQUEID | NVSHMEMX_INIT_WITH_MPI_COMM)) && !attributes)
    return NVSHMEMX_ERROR_INVALID_VALUE;
  if (pe.shmem.initialised) {
    ++pe.shmem.initialised;
  } else if (flags & NVSHMEMX_INIT_WITH_UNIQUEID) {
    const nvshmemx_uniqueid_args_t& uid = attributes->args.uid_args;
    if (!uid.id || uid.myrank < 0 || uid.myrank >= uid.nranks || uid.nranks > pe.world.pes())
      program_error(site, "nvshmemx_init_attr: the attributes say rank {} of {}{}; the run has {} PEs", uid.myrank,
                    uid.nranks, uid.id ? "" : ", without an id", pe.world.pes());
    initialise(meet(uid, site), "nvshmemx_init_attr", site);
  } else if (flags & NVSHMEMX_INIT_WITH_MPI_COMM) {
    if (!attributes->mpi_comm)
      program_error(site, "nvshmemx_init_attr: mpi_comm is a null pointer; give the address of an MPI_Comm");
    auto handle = *static_cast<MPI_Comm*>(attributes->mpi_comm);
    initialise(mpi::communicator(handle, "nvshmemx_init_attr", site).ranks, "nvshmemx_init_attr", site);
  } else {
    initialise("nvshmemx_init_attr", site);
  }
  return NVSHMEMX_SUCCESS;
}

int nvshmemx_hostlib_init_attr(unsigned flags, nvshmemx_init_attr_t* attributes) {
  return nvshmemx_init_attr(flags, attributes);  // one runtime is both the host library and the whole
}
void nvshmemx_hostlib_finalize() { nvshmem_finalize(); }

int nvshmemx_init_status() {
  return g_current.pe->shmem.initialised ? NVSHMEM_STATUS_IS_INITIALIZED : NVSHMEM_STATUS_NOT_INITIALIZED;
}

int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t* id) {
  if (!id) return NVSHMEMX_ERROR_INVALID_VALUE;
  *id = NVSHMEMX_UNIQUEID_INITIALIZER;
  UniqueId made{.maker = g_current.pe->id.value, .number = kept<IdCount>(*g_current.pe).made++};
  std::memcpy(id->internal, &made, sizeof made);
  return NVSHMEMX_SUCCESS;
}

int nvshmemx_set_attr_uniqueid_args(int rank, int ranks, const nvshmemx_uniqueid_t* id, nvshmemx_init_attr_t* out) {
  if (!id || !out || rank < 0 || rank >= ranks) return NVSHMEMX_ERROR_INVALID_VALUE;
  out->args.uid_args = {SHMEMU_VERSION_WORD(1, nvshmemx_uniqueid_args_t), const_cast<nvshmemx_uniqueid_t*>(id), rank,
                        ranks};
  return NVSHMEMX_SUCCESS;
}

int nvshmemx_set_attr_mpi_comm_args(void* communicator, nvshmemx_init_attr_t* out) {
  if (!out) return NVSHMEMX_ERROR_INVALID_VALUE;
  out->mpi_comm = communicator;
  return NVSHMEMX_SUCCESS;
}

void nvshmem_global_exit(int status) {
  fail(status ? ExitCode::program_failed : ExitCode::fine,
       fmt::format("{}: called nvshmem_global_exit({})", who(), status));
}

void nvshmem_info_get_version(int* major, int* minor) {
  *major = NVSHMEM_MAJOR_VERSION;
  *minor = NVSHMEM_MINOR_VERSION;
}

void nvshmem_info_get_name(char* name) { std::strcpy(name, NVSHMEM_VENDOR_STRING); }

void nvshmemx_vendor_get_version_info(int* major, int* minor, int* patch) {
  *major = NVSHMEM_VENDOR_MAJOR_VERSION;
  *minor = NVSHMEM_VENDOR_MINOR_VERSION;
  *patch = NVSHMEM_VENDOR_PATCH_VERSION;
}

}  // extern "C"
