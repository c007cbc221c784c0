// What programs on real GPUs use to start besides nvshmem_init: unique ids, MPI's communicator, OpenSHMEM.
#include <cstring>

#include <fmt/format.h>

#include "gpu/run.hpp"
#include "mpi.h"
#include "shmemu/gpu/host_calls.h"
#include "shmemu/nvshmem/init_query.h"
#include "shmemu/nvshmem/memory.h"

namespace shmemu::gpu {
namespace {

GpuRun& run() { return *current().run; }
Pe& me() { return *current().pe; }

constexpr char kMark[] = "shmemu";

}  // namespace
}  // namespace shmemu::gpu

using namespace shmemu;
using namespace shmemu::gpu;

extern "C" {

// ---- unique ids ----
int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t* id) {
  if (!id) return NVSHMEMX_ERROR_INVALID_VALUE;
  *id = NVSHMEMX_UNIQUEID_INITIALIZER;
  std::memcpy(id->internal, kMark, sizeof kMark);
  return NVSHMEMX_SUCCESS;
}
int nvshmemx_set_attr_uniqueid_args(int rank, int ranks, const nvshmemx_uniqueid_t* id, nvshmemx_init_attr_t* out) {
  if (!id || !out || rank < 0 || rank >= ranks) return NVSHMEMX_ERROR_INVALID_VALUE;
  out->args.uid_args = {SHMEMU_VERSION_WORD(1, nvshmemx_uniqueid_args_t), const_cast<nvshmemx_uniqueid_t*>(id), rank,
                        ranks};
  return NVSHMEMX_SUCCESS;
}
int nvshmemx_init_attr(unsigned flags, nvshmemx_init_attr_t* attributes) {
  bool by_id = flags & NVSHMEMX_INIT_WITH_UNIQUEID, by_mpi = flags & NVSHMEMX_INIT_WITH_MPI_COMM;
  if ((by_id || by_mpi) && !attributes) return NVSHMEMX_ERROR_INVALID_VALUE;
  if (by_id) {
    const nvshmemx_uniqueid_args_t& a = attributes->args.uid_args;
    if (!a.id || std::memcmp(a.id->internal, kMark, sizeof kMark) != 0)
      run().fail(ExitCode::program_failed,
                 fmt::format("PE {}: nvshmemx_init_attr: the id was not made by nvshmemx_get_uniqueid", me().id));
    if (a.myrank != me().id || a.nranks != run().pes())
      run().fail(ExitCode::program_failed,
                 fmt::format("PE {}: nvshmemx_init_attr as rank {} of {}: on real GPUs all {} PEs of the run start "
                             "together, in their order; use --executor cpu",
                             me().id, a.myrank, a.nranks, run().pes()));
    if (!me().initialised) {  // the last one to come tells the others, as in the CPU executor
      bool last = false;
      run().meet(me(), 0, "nvshmemx_init_attr", [&last] { last = true; });
      for (int other = 0; last && other < a.nranks; ++other)
        if (other != me().id) run().log_message(me(), other, static_cast<uint64_t>(a.nranks) * sizeof(int));
      if (!last) run().log_arrival(me());
    }
  }
  if (by_mpi && (!attributes->mpi_comm || *static_cast<MPI_Comm*>(attributes->mpi_comm) != MPI_COMM_WORLD))
    run().fail(ExitCode::program_failed,
               fmt::format("PE {}: nvshmemx_init_attr: on real GPUs the communicator must be MPI_COMM_WORLD; use "
                           "--executor cpu",
                           me().id));
  nvshmem_init();
  return NVSHMEMX_SUCCESS;
}

// ---- OpenSHMEM: start, end and barrier; both libraries count the same initialisation ----
void shmem_init() { nvshmem_init(); }
int shmem_init_thread(int level, int* provided) { return nvshmem_init_thread(level, provided); }
void shmem_finalize() { nvshmem_finalize(); }
int shmem_my_pe() { return me().id; }
int shmem_n_pes() { return run().pes(); }
void shmem_barrier_all() {
  shmemu_host_collective(SHMEMU_COLL_BARRIER, 0, nullptr, nullptr, 0, 0, 0, 0, 0, SHMEMU_THREAD);
}
void* shmem_malloc(size_t bytes) { return nvshmem_malloc(bytes); }
void shmem_free(void* p) { nvshmem_free(p); }

}  // extern "C"
