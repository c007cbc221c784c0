// OpenSHMEM 1.5 as a front end of the runtime: start, end, queries, ordering. Contexts order and complete with all
// other operations of the PE, which is more than they promise.
#include "shmem.h"

#include <cstring>

#include "emu/api/checks.hpp"
#include "emu/api/collectives.hpp"
#include "emu/api/init.hpp"
#include "emu/api/teams.hpp"
#include "emu/cuda/runtime_state.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

void start(const char* call, uint64_t site) {
  g_current.pe->shmem.static_symmetric = true;
  initialise(call, site);
}

void order(OpKind kind, const char* call, uint64_t site) {
  shmem_pe(call, site);
  Op op;
  op.kind = kind;
  op.function = Op::kNvshmemFence;
  op.site = site;
  stop(op);
}

}  // namespace

extern "C" {

void shmem_init() { start("shmem_init", SHMEMU_SITE()); }
void start_pes(int) { start("start_pes", SHMEMU_SITE()); }

int shmem_init_thread(int requested, int* provided) {
  start("shmem_init_thread", SHMEMU_SITE());
  // a PE has one thread
  if (provided) *provided = requested < SHMEM_THREAD_SERIALIZED ? requested : int{SHMEM_THREAD_SERIALIZED};
  return 0;
}

void shmem_query_thread(int* provided) { *provided = SHMEM_THREAD_SERIALIZED; }
void shmem_finalize() { finalise("shmem_finalize", SHMEMU_SITE()); }

void shmem_global_exit(int status) {
  fail(status ? ExitCode::program_failed : ExitCode::fine,
       fmt::format("{}: called shmem_global_exit({})", who(), status));
}

int shmem_my_pe() { return shmem_pe("shmem_my_pe", SHMEMU_SITE()).shmem.rank; }
int _my_pe() { return shmem_pe("_my_pe", SHMEMU_SITE()).shmem.rank; }
int shmem_n_pes() { return static_cast<int>(shmem_pe("shmem_n_pes", SHMEMU_SITE()).shmem.job->members.size()); }
int _num_pes() { return static_cast<int>(shmem_pe("_num_pes", SHMEMU_SITE()).shmem.job->members.size()); }

int shmem_pe_accessible(int pe) {
  size_t n = shmem_pe("shmem_pe_accessible", SHMEMU_SITE()).shmem.job->members.size();
  return pe >= 0 && static_cast<size_t>(pe) < n;
}

int shmem_addr_accessible(const void* p, int pe) {
  uint64_t site = SHMEMU_SITE();
  Pe& me = shmem_pe("shmem_addr_accessible", site);
  if (pe < 0 || static_cast<size_t>(pe) >= me.shmem.job->members.size()) return 0;
  auto address = reinterpret_cast<uint64_t>(p);
  Arena& heap = me.world.heap;
  return is_static_symmetric(me, p, 1) ||
         (heap.contains(address) && heap.slot_of(address) == me.id.value && heap.valid(address, 1));
}

void shmem_info_get_version(int* major, int* minor) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}

void shmem_info_get_name(char* name) { std::strcpy(name, SHMEM_VENDOR_STRING); }

void shmem_fence() { order(OpKind::fence, "shmem_fence", SHMEMU_SITE()); }
void shmem_quiet() { order(OpKind::quiet, "shmem_quiet", SHMEMU_SITE()); }
void shmem_ctx_fence(shmem_ctx_t) { order(OpKind::fence, "shmem_ctx_fence", SHMEMU_SITE()); }
void shmem_ctx_quiet(shmem_ctx_t) { order(OpKind::quiet, "shmem_ctx_quiet", SHMEMU_SITE()); }

void shmem_barrier_all() {
  uint64_t site = SHMEMU_SITE();
  shmem_pe("shmem_barrier_all", site);
  host_barrier(site, 0, "shmem_barrier_all");
}

void shmem_sync_all() {
  uint64_t site = SHMEMU_SITE();
  shmem_pe("shmem_sync_all", site);
  host_sync(site, SHMEM_TEAM_WORLD);
}

int shmem_team_sync(shmem_team_t team) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("shmem_team_sync", site);
  const Members& members = team_members(pe, team);
  if (!members || !index_in(*members, pe.id)) return -1;
  host_sync(site, team);
  return 0;
}

}  // extern "C"
