#include "emu/api/init.hpp"

#include <cstring>

#include "collectives/endpoint.hpp"
#include "emu/api/checks.hpp"
#include "emu/api/collectives.hpp"
#include "emu/api/teams.hpp"
#include "emu/cuda/runtime_state.hpp"
#include "shmemu/nvshmem/types_constants.h"

namespace shmemu::emu {

ShmemState new_shmem_state(Arena& heap, int pe) {
  ShmemState state;
  state.teams.resize(kMostTeams);
  std::byte* pad = heap.allocate(pe, sizeof(uint64_t) * kSyncSlots * kMostTeams, 0, "team synchronisation", 0);
  state.sync_pad = reinterpret_cast<uint64_t>(pad) - heap.base(pe);
  return state;
}

namespace {

void initialise(uint64_t site) {
  Pe& pe = *g_current.pe;
  if (on_device()) program_error(site, "nvshmem_init is a host function");
  if (pe.shmem.initialised++ > 0) return;  // repeated initialisation is counted
  if (!pe.cuda.device_chosen) pe.gpu = gpu_of_device(pe, pe.id.value % pe.world.placement.pes_per_node);
  host_barrier(site, 0, "nvshmem_init");
}

}  // namespace
}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

void nvshmem_init() { initialise(SHMEMU_SITE()); }

int nvshmem_init_thread(int, int* provided) {
  initialise(SHMEMU_SITE());
  if (provided) *provided = NVSHMEM_THREAD_SERIALIZED;  // what 3.3.9 reports, whatever was asked
  return 0;
}

void nvshmem_query_thread(int* provided) { *provided = NVSHMEM_THREAD_SERIALIZED; }

void nvshmem_finalize() {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("nvshmem_finalize", site);
  if (pe.shmem.initialised > 1) {
    --pe.shmem.initialised;
    return;
  }
  host_barrier(site, 0, "nvshmem_finalize");
  pe.shmem.initialised = 0;
  pe.shmem.finalised = true;
}

int nvshmemx_init_attr(unsigned flags, nvshmemx_init_attr_t* attributes) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = *g_current.pe;
  if ((flags & NVSHMEMX_INIT_WITH_UNIQUEID) && attributes) {
    const nvshmemx_uniqueid_args_t& uid = attributes->args.uid_args;
    if (uid.nranks != pe.world.pes() || uid.myrank != pe.id.value)
      program_error(site,
                    "nvshmemx_init_attr: the attributes say rank {} of {}, this is PE {} of {}; an emulated job's ranks are "
                    "its PEs",
                    uid.myrank, uid.nranks, pe.id.value, pe.world.pes());
  }
  initialise(site);
  return NVSHMEMX_SUCCESS;
}

int nvshmemx_hostlib_init_attr(unsigned flags, nvshmemx_init_attr_t* attributes) {
  return nvshmemx_init_attr(flags, attributes);
}
void nvshmemx_hostlib_finalize() { nvshmem_finalize(); }

int nvshmemx_init_status() {
  return g_current.pe->shmem.initialised ? NVSHMEM_STATUS_IS_INITIALIZED : NVSHMEM_STATUS_NOT_INITIALIZED;
}

int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t* id) {
  if (!id) return NVSHMEMX_ERROR_INVALID_VALUE;
  *id = NVSHMEMX_UNIQUEID_INITIALIZER;
  std::memcpy(id->internal, "shmemu", 7);
  return NVSHMEMX_SUCCESS;
}

int nvshmemx_set_attr_uniqueid_args(int rank, int ranks, const nvshmemx_uniqueid_t* id, nvshmemx_init_attr_t* out) {
  if (!id || !out || rank < 0 || rank >= ranks) return NVSHMEMX_ERROR_INVALID_VALUE;
  out->args.uid_args = {SHMEMU_VERSION_WORD(1, nvshmemx_uniqueid_args_t), const_cast<nvshmemx_uniqueid_t*>(id), rank, ranks};
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
