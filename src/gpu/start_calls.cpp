// What programs on real GPUs use to start besides nvshmem_init: unique ids, and of MPI the calls that tell ranks apart
// and hand an id round. Rank r is PE r. These calls take no virtual time.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "gpu/run.hpp"
#include "mpi.h"
#include "shmemu/nvshmem/init_query.h"

struct shmemu_mpi_comm {
  int predefined;
};
struct shmemu_mpi_type {
  uint64_t bytes;
};

namespace shmemu::gpu {
namespace {

GpuRun& run() { return *current().run; }
Pe& me() { return *current().pe; }

constexpr int kWorld = 0;  // NVSHMEM_TEAM_WORLD

struct MpiState {
  std::vector<int> initialised, finalised;  // by PE
  std::vector<void*> buffers;               // of the broadcast under way
};
MpiState& state() {
  auto& s = run().kept<MpiState>();
  auto n = static_cast<size_t>(run().pes());
  s.initialised.resize(n), s.finalised.resize(n), s.buffers.resize(n);
  return s;
}
size_t rank() { return static_cast<size_t>(me().id); }

// Rank and size of a communicator; others than the predefined ones cannot be made here.
std::pair<int, int> place_in(MPI_Comm comm, const char* call) {
  if (comm == MPI_COMM_SELF) return {0, 1};
  if (comm != MPI_COMM_WORLD || !state().initialised[rank()])
    run().fail(ExitCode::program_failed, fmt::format("PE {}: {}: {}", me().id, call,
                                                     comm == MPI_COMM_WORLD ? "MPI_Init has not been called"
                                                                            : "this communicator does not exist"));
  return {me().id, run().pes()};
}

int start(int level, int* provided) {
  if (provided) *provided = std::min<int>(level, MPI_THREAD_SERIALIZED);
  state().initialised[rank()] = 1;
  run().meet(me(), kWorld, "MPI_Init");
  return MPI_SUCCESS;
}

constexpr char kMark[] = "shmemu";

}  // namespace
}  // namespace shmemu::gpu

using namespace shmemu;
using namespace shmemu::gpu;

extern "C" {

shmemu_mpi_comm ompi_mpi_comm_world = {1}, ompi_mpi_comm_self = {1};

// clang-format off
#define TYPES(X)                                                                                                      \
  X(char, char) X(signed_char, signed char) X(unsigned_char, unsigned char) X(byte, char) X(short, short)             \
  X(unsigned_short, unsigned short) X(int, int) X(unsigned, unsigned) X(long, long) X(unsigned_long, unsigned long)   \
  X(long_long_int, long long) X(unsigned_long_long, unsigned long long) X(float, float) X(double, double)             \
  X(long_double, long double) X(c_bool, bool) X(aint, MPI_Aint) X(int8_t, int8_t) X(int16_t, int16_t)                 \
  X(int32_t, int32_t) X(int64_t, int64_t) X(uint8_t, uint8_t) X(uint16_t, uint16_t) X(uint32_t, uint32_t)             \
  X(uint64_t, uint64_t)
// clang-format on
#define X(OBJECT, TYPE) shmemu_mpi_type ompi_mpi_##OBJECT = {sizeof(TYPE)};
TYPES(X)
#undef X

int MPI_Init(int*, char***) { return start(MPI_THREAD_SINGLE, nullptr); }
int MPI_Init_thread(int*, char***, int required, int* provided) { return start(required, provided); }
int MPI_Initialized(int* flag) { return *flag = state().initialised[rank()], MPI_SUCCESS; }
int MPI_Finalized(int* flag) { return *flag = state().finalised[rank()], MPI_SUCCESS; }
int MPI_Finalize() {
  run().meet(me(), kWorld, "MPI_Finalize");
  state().finalised[rank()] = 1;
  return MPI_SUCCESS;
}
int MPI_Comm_rank(MPI_Comm comm, int* out) { return *out = place_in(comm, "MPI_Comm_rank").first, MPI_SUCCESS; }
int MPI_Comm_size(MPI_Comm comm, int* out) { return *out = place_in(comm, "MPI_Comm_size").second, MPI_SUCCESS; }
int MPI_Barrier(MPI_Comm comm) {
  if (place_in(comm, "MPI_Barrier").second > 1) run().meet(me(), kWorld, "MPI_Barrier");
  return MPI_SUCCESS;
}
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int ranks = place_in(comm, "MPI_Bcast").second;
  if (count < 0 || root < 0 || root >= ranks || !type)
    run().fail(ExitCode::program_failed,
               fmt::format("PE {}: MPI_Bcast of {} elements by root {} of {} ranks", me().id, count, root, ranks));
  if (ranks == 1) return MPI_SUCCESS;
  state().buffers[rank()] = buffer;
  size_t bytes = static_cast<size_t>(count) * type->bytes;
  run().meet(me(), kWorld, "MPI_Bcast", [bytes, root] {
    const auto& at = state().buffers;
    for (void* to : at)
      if (to != at[static_cast<size_t>(root)]) run().copy_now(to, at[static_cast<size_t>(root)], bytes);
  });
  return MPI_SUCCESS;
}
int MPI_Abort(MPI_Comm, int code) {
  run().fail(ExitCode::program_failed, fmt::format("PE {}: called MPI_Abort with code {}", me().id, code));
}

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
  }
  if (by_mpi && (!attributes->mpi_comm || *static_cast<MPI_Comm*>(attributes->mpi_comm) != MPI_COMM_WORLD))
    run().fail(ExitCode::program_failed,
               fmt::format("PE {}: nvshmemx_init_attr: on real GPUs the communicator must be MPI_COMM_WORLD; use "
                           "--executor cpu",
                           me().id));
  nvshmem_init();
  return NVSHMEMX_SUCCESS;
}

}  // extern "C"
