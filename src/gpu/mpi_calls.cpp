// MPI for programs on real GPUs: the part that set-up code and norms use. Rank r of MPI_COMM_WORLD is PE r. The data
// move at once, in this process; what is logged are the messages that the CPU executor sends for the same call, so both
// take the same virtual time.
#include "mpi.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "emu/api/reductions.hpp"
#include "emu/mpi/predefined.hpp"
#include "gpu/run.hpp"
#include "shmemu/abi.h"

struct shmemu_mpi_comm {
  int predefined;
};
struct shmemu_mpi_type {
  uint64_t bytes;
  int element;
};
struct shmemu_mpi_op {
  int op;
};

namespace shmemu::gpu {
namespace {

GpuRun& run() { return *current().run; }
Pe& me() { return *current().pe; }

struct Communicator {
  std::vector<int> pes;  // by rank
  int rank = 0, context = 0;
  int size() const { return static_cast<int>(pes.size()); }
};
struct MpiPe {
  bool initialised = false, finalised = false;
  std::map<MPI_Comm, Communicator> communicators;
  std::map<MPI_Comm, std::unique_ptr<shmemu_mpi_comm>> made;
  const void* given = nullptr;  // to the call under way
};
struct MpiState {
  std::vector<MpiPe> pes;
  int contexts = 2;  // of all communicators; the predefined ones have 0 and 1
};
MpiState& all() {
  auto& s = run().kept<MpiState>();
  s.pes.resize(static_cast<size_t>(run().pes()));
  return s;
}
MpiPe& mine() { return all().pes[static_cast<size_t>(me().id)]; }

Communicator& communicator(MPI_Comm handle, const char* call) {
  MpiPe& s = mine();
  auto at = s.communicators.find(handle);
  if (at == s.communicators.end())
    run().fail(ExitCode::program_failed,
               fmt::format("PE {}: {}: {}", me().id, call,
                           s.initialised ? "this communicator does not exist" : "MPI_Init has not been called"));
  return at->second;
}

int start(int level, int* provided) {
  if (provided) *provided = std::min<int>(level, MPI_THREAD_SERIALIZED);
  MpiPe& s = mine();
  s.initialised = true;
  Communicator world;
  for (int i = 0; i < run().pes(); ++i) world.pes.push_back(i);
  world.rank = me().id;
  s.communicators[MPI_COMM_WORLD] = std::move(world);
  s.communicators[MPI_COMM_SELF] = {{me().id}, 0, 1};
  return MPI_Barrier(MPI_COMM_WORLD);
}

// ---- what is logged: messages between hosts ----

void send(const Communicator& comm, int to, uint64_t bytes) {
  run().log_message(me(), comm.pes[static_cast<size_t>(to)], bytes);
}
void receive() { run().log_arrival(me()); }

void log_barrier(const Communicator& comm) {
  int n = comm.size();
  for (int distance = 1; distance < n; distance *= 2) {
    send(comm, (comm.rank + distance) % n, 0);
    receive();
  }
}
void log_broadcast(const Communicator& comm, int root, uint64_t bytes) {
  int n = comm.size(), rank = (comm.rank - root + n) % n, top = 1;
  while (top < n) top *= 2;
  for (int distance = top / 2; distance >= 1; distance /= 2) {
    if (rank % (2 * distance) == 0 && rank + distance < n) {
      send(comm, (rank + distance + root) % n, bytes);
    } else if (rank % (2 * distance) == distance) {
      receive();
    }
  }
}
void log_gather(const Communicator& comm, int root, uint64_t bytes) {
  if (comm.rank != root) return send(comm, root, bytes);
  for (int i = 1; i < comm.size(); ++i) receive();
}
void log_ring(const Communicator& comm, uint64_t bytes) {
  for (int i = 1; i < comm.size(); ++i) {
    send(comm, (comm.rank + 1) % comm.size(), bytes);
    receive();
  }
}

// ---- what happens ----

// All ranks have come with what they give; the last one calls `last`, which sees it by rank.
template <class F>
void together(const Communicator& comm, const char* call, const void* given, F last) {
  mine().given = given;
  run().meet(me(), comm.pes, comm.context, call, [&comm, &last] {
    std::vector<const void*> by_rank;
    for (int pe : comm.pes) by_rank.push_back(all().pes[static_cast<size_t>(pe)].given);
    last(by_rank);
  });
}

uint64_t bytes_of(int count, MPI_Datatype type, const char* call) {
  if (count < 0 || !type)
    run().fail(ExitCode::program_failed, fmt::format("PE {}: {} of {} elements", me().id, call, count));
  return static_cast<uint64_t>(count) * type->bytes;
}
void check_root(const Communicator& comm, int root, const char* call) {
  if (root < 0 || root >= comm.size())
    run().fail(ExitCode::program_failed,
               fmt::format("PE {}: {}: there is no rank {} among {}", me().id, call, root, comm.size()));
}

struct Reduction {
  const void* send;
  void* receive;
};
// The result is the one of combining in the order of ranks; on `root`, or everywhere if it is -1.
void reduce(const Communicator& comm, const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root,
            const char* call) {
  uint64_t bytes = bytes_of(count, type, call);
  if (type->element < 0 || !op || op->op < 0)
    run().fail(ExitCode::program_failed, fmt::format("PE {}: {}: this operation is not supported for this type on real "
                                                     "GPUs; use --executor cpu",
                                                     me().id, call));
  Reduction mine_now{out == MPI_IN_PLACE ? in : out, in};
  together(comm, call, &mine_now, [&](const std::vector<const void*>& ranks) {
    auto at = [&](size_t rank) { return static_cast<const Reduction*>(ranks[rank]); };
    std::vector<char> sum(bytes);
    for (size_t r = 0; r < ranks.size(); ++r) {
      if (r == 0) {
        std::memcpy(sum.data(), at(r)->send, bytes);
      } else {
        emu::reduce_elements(type->element, op->op, sum.data(), at(r)->send, static_cast<uint64_t>(count));
      }
    }
    for (size_t r = 0; r < ranks.size(); ++r)
      if (root < 0 || static_cast<size_t>(root) == r) std::memcpy(at(r)->receive, sum.data(), bytes);
  });
  log_gather(comm, std::max(root, 0), bytes);
  if (root < 0) log_broadcast(comm, 0, bytes);
}

MPI_Comm split(const Communicator& parent, int colour, int key, const char* call) {
  struct Wish {
    int colour, key;
    MPI_Comm made;
  } wish{colour, key, MPI_COMM_NULL};
  together(parent, call, &wish, [&](const std::vector<const void*>& ranks) {
    auto at = [&](size_t rank) { return static_cast<Wish*>(const_cast<void*>(ranks[rank])); };
    std::map<int, std::vector<std::pair<int, int>>> parts;  // by colour: key, rank
    for (size_t r = 0; r < ranks.size(); ++r)
      if (at(r)->colour != MPI_UNDEFINED) parts[at(r)->colour].emplace_back(at(r)->key, static_cast<int>(r));
    for (auto& [part_colour, members] : parts) {
      std::sort(members.begin(), members.end());
      Communicator made;
      made.context = all().contexts++;
      for (auto& [member_key, rank] : members) made.pes.push_back(parent.pes[static_cast<size_t>(rank)]);
      for (auto& [member_key, rank] : members) {
        MpiPe& pe = all().pes[static_cast<size_t>(parent.pes[static_cast<size_t>(rank)])];
        auto handle = std::make_unique<shmemu_mpi_comm>();
        at(static_cast<size_t>(rank))->made = handle.get();
        pe.communicators[handle.get()] = made;
        pe.made[handle.get()] = std::move(handle);
        ++made.rank;
      }
    }
  });
  log_ring(parent, sizeof(int) * 2);
  log_broadcast(parent, 0, sizeof(uint64_t));
  return wish.made;
}

// -1: MPI reduces it, the runtime on real GPUs does not.
template <class T>
constexpr int element_of() {
  return std::is_same_v<T, long double> || std::is_same_v<T, bool> ? -1 : emu::mpi::element_of<T>();
}

}  // namespace
}  // namespace shmemu::gpu

using namespace shmemu;
using namespace shmemu::gpu;

extern "C" {

shmemu_mpi_comm ompi_mpi_comm_world = {1}, ompi_mpi_comm_self = {1};

// clang-format off
#define OPS(X) X(max, SHMEMU_MAX) X(min, SHMEMU_MIN) X(sum, SHMEMU_SUM) X(prod, SHMEMU_PROD) X(band, SHMEMU_AND)      \
  X(bor, SHMEMU_OR) X(bxor, SHMEMU_XOR) X(land, -1) X(lor, -1) X(lxor, -1)
// clang-format on
#define X(OBJECT, TYPE) shmemu_mpi_type ompi_mpi_##OBJECT = {sizeof(TYPE), element_of<TYPE>()};
SHMEMU_MPI_C_TYPES(X)
#undef X
#define X(OBJECT, OP) shmemu_mpi_op ompi_mpi_op_##OBJECT = {OP};
OPS(X)
#undef X

int MPI_Init(int*, char***) { return start(MPI_THREAD_SINGLE, nullptr); }
int MPI_Init_thread(int*, char***, int required, int* provided) { return start(required, provided); }
int MPI_Initialized(int* flag) { return *flag = mine().initialised, MPI_SUCCESS; }
int MPI_Finalized(int* flag) { return *flag = mine().finalised, MPI_SUCCESS; }
int MPI_Finalize() {
  MPI_Barrier(MPI_COMM_WORLD);
  mine().finalised = true;
  return MPI_SUCCESS;
}
int MPI_Abort(MPI_Comm, int code) {
  run().fail(ExitCode::program_failed, fmt::format("PE {}: called MPI_Abort with code {}", me().id, code));
}
double MPI_Wtime() { return run().host_clock(me()); }
int MPI_Error_string(int code, char* text, int* length) {
  *length = static_cast<int>(fmt::format_to_n(text, MPI_MAX_ERROR_STRING - 1, "error {}", code).size);
  text[*length] = 0;
  return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int* out) { return *out = communicator(comm, "MPI_Comm_rank").rank, MPI_SUCCESS; }
int MPI_Comm_size(MPI_Comm comm, int* out) { return *out = communicator(comm, "MPI_Comm_size").size(), MPI_SUCCESS; }
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* out) {
  return *out = split(communicator(comm, "MPI_Comm_split"), colour, key, "MPI_Comm_split"), MPI_SUCCESS;
}
int MPI_Comm_split_type(MPI_Comm comm, int, int key, MPI_Info, MPI_Comm* out) {
  int node = run().placement.node_of({me().id});
  return *out = split(communicator(comm, "MPI_Comm_split_type"), node, key, "MPI_Comm_split_type"), MPI_SUCCESS;
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* out) {
  const Communicator& parent = communicator(comm, "MPI_Comm_dup");
  return *out = split(parent, 0, parent.rank, "MPI_Comm_dup"), MPI_SUCCESS;
}
int MPI_Comm_free(MPI_Comm* comm) {
  MPI_Barrier(*comm);
  mine().communicators.erase(*comm);
  mine().made.erase(*comm);
  return *comm = MPI_COMM_NULL, MPI_SUCCESS;
}

int MPI_Barrier(MPI_Comm handle) {
  const Communicator& comm = communicator(handle, "MPI_Barrier");
  together(comm, "MPI_Barrier", nullptr, [](auto&) {});
  log_barrier(comm);
  return MPI_SUCCESS;
}
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm handle) {
  const Communicator& comm = communicator(handle, "MPI_Bcast");
  uint64_t bytes = bytes_of(count, type, "MPI_Bcast");
  check_root(comm, root, "MPI_Bcast");
  together(comm, "MPI_Bcast", buffer, [bytes, root](const std::vector<const void*>& ranks) {
    const void* from = ranks[static_cast<size_t>(root)];
    for (const void* to : ranks)
      if (to != from) run().copy_now(const_cast<void*>(to), from, bytes);
  });
  log_broadcast(comm, root, bytes);
  return MPI_SUCCESS;
}
int MPI_Reduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm handle) {
  const Communicator& comm = communicator(handle, "MPI_Reduce");
  check_root(comm, root, "MPI_Reduce");
  reduce(comm, out, in, count, type, op, root, "MPI_Reduce");
  return MPI_SUCCESS;
}
int MPI_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  reduce(communicator(handle, "MPI_Allreduce"), out, in, count, type, op, -1, "MPI_Allreduce");
  return MPI_SUCCESS;
}
int MPI_Allgather(const void* out, int count, MPI_Datatype type, void* in, int, MPI_Datatype, MPI_Comm handle) {
  const Communicator& comm = communicator(handle, "MPI_Allgather");
  uint64_t bytes = bytes_of(count, type, "MPI_Allgather");
  Reduction given{out, in};
  together(comm, "MPI_Allgather", &given, [bytes](const std::vector<const void*>& ranks) {
    for (const void* to : ranks)
      for (size_t r = 0; r < ranks.size(); ++r)
        std::memmove(static_cast<char*>(static_cast<const Reduction*>(to)->receive) + r * bytes,
                     static_cast<const Reduction*>(ranks[r])->send, bytes);
  });
  log_ring(comm, bytes);
  return MPI_SUCCESS;
}

}  // extern "C"
