// What the files of this folder share: the objects behind MPI's handles and the state of MPI on a PE.
// Communicators are lists of PEs with a context of their own; everything else is built on core/messages.hpp.
#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "emu/core/current.hpp"
#include "emu/core/world.hpp"
#include "mpi.h"

struct shmemu_mpi_comm {
  int predefined;
};
struct shmemu_mpi_type {
  uint64_t bytes;
  int element;  // shmemu_type, or -1 for types without arithmetic
};
struct shmemu_mpi_op {
  int op;                       // shmemu_reduce_op, or kLand …
  MPI_User_function* function;  // of MPI_Op_create
};

namespace shmemu::emu::mpi {

enum : int { kLand = 100, kLor, kLxor, kUser };  // operations that NVSHMEM does not have

struct Communicator {
  uint64_t context = 0;
  std::vector<PeId> ranks;
  int me = 0;
  int size() const { return static_cast<int>(ranks.size()); }
};

struct Request {
  bool done = false;
  void* buffer = nullptr;
  uint64_t capacity = 0;
  int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
  uint64_t context = 0;
  std::vector<PeId> ranks;
  MPI_Status status{};
  uint64_t site = 0;
};

struct MpiState {
  bool initialised = false, finalised = false;
  int thread_level = MPI_THREAD_SINGLE;
  std::map<MPI_Comm, Communicator> communicators;
  std::map<MPI_Comm, std::unique_ptr<shmemu_mpi_comm>> made;
  std::map<MPI_Datatype, std::unique_ptr<shmemu_mpi_type>> types;
  std::map<MPI_Op, std::unique_ptr<shmemu_mpi_op>> ops;
  std::map<MPI_Request, std::unique_ptr<Request>> requests;
  std::list<Request*> posted;  // receives without a message, in the order of the calls
  uint64_t contexts = 0;       // made by this PE
};

MpiState& state();
// The state, after MPI_Init and before MPI_Finalize; an error that names `call` otherwise.
MpiState& running(const char* call, uint64_t site);
Communicator& communicator(MPI_Comm handle, const char* call, uint64_t site);
const shmemu_mpi_type& type_of(MPI_Datatype handle, const char* call, uint64_t site);
int checked_rank(const Communicator& comm, int rank, const char* call, uint64_t site);
uint64_t bytes_of(int count, MPI_Datatype type, const char* call, uint64_t site);
// into[i] = from[i] op into[i], which is the order of MPI_User_function.
void combine(MPI_Op op, MPI_Datatype type, const void* from, void* into, int count, const char* call, uint64_t site);

// Messages inside a collective have negative tags of their own.
enum : int { kBarrierTag = -10, kBroadcastTag, kGatherTag, kScatterTag, kRingTag, kAlltoallTag, kReduceTag, kScanTag };
void send(const Communicator& comm, int to, int tag, const void* data, uint64_t bytes, uint64_t site);
// Stops until the message is there; it must have exactly `bytes`.
void receive(const Communicator& comm, int from, int tag, void* data, uint64_t bytes, const char* call, uint64_t site);
void barrier(const Communicator& comm, uint64_t site);
void broadcast(const Communicator& comm, int root, void* data, uint64_t bytes, uint64_t site);
// Every member's `bytes` in rank order.
void allgather(const Communicator& comm, const void* mine, void* all, uint64_t bytes, uint64_t site);

}  // namespace shmemu::emu::mpi
