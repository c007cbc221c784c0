// One processing element: what would be a process on a real cluster. Its host thread, its copy of the program, its CUDA
// and NVSHMEM state, and the libc state that must not leak between PEs. Owner: the World.
#pragma once
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "collectives/chooser.hpp"
#include "collectives/scratch.hpp"
#include "device/actor.hpp"
#include "device/grid.hpp"
#include "device/stream.hpp"
#include "emu/core/messages.hpp"
#include "emu/cpu/fiber.hpp"
#include "emu/cpu/image.hpp"

namespace shmemu::emu {

class World;

// libc and C++ runtime state that a process has once. Swapped or served per PE by src/emu/cpu/libc.cpp.
struct LibcState {
  random_data random{};
  char random_words[128] = {};
  bool random_ready = false;
  std::map<std::string, std::optional<std::string>> environment;  // changes to the inherited one; absent = unset
  struct ExitHandler {
    void (*function)(void*);
    void* argument;
    void* library;
  };
  std::vector<ExitHandler> exit_handlers;
  int option_index = 0, option_error = 1, option_character = '?';  // 0: getopt starts afresh
  char* option_argument = nullptr;
  int error_number = 0;
  void* exceptions[2] = {nullptr, nullptr};  // __cxa_eh_globals
};

struct Event {
  device::CommandRef recorded;  // the last record; null = never recorded
  bool timing = true;
};

struct CudaState {
  int device = 0;
  bool device_chosen = false;
  int last_error = 0;
  std::map<void*, std::unique_ptr<device::Stream>> streams;  // by handle; null handle = legacy default stream
  int next_stream = 1;
  std::map<void*, std::unique_ptr<Event>> events;
  std::map<uint64_t, uint64_t> pinned;  // host ranges, start → bytes
  std::map<uint64_t, uint64_t> managed;
  std::map<const void*, int> dynamic_shared_limit;  // per kernel stub
  struct Configuration {
    device::Dim3 grid, block;
    uint64_t shared = 0;
    void* stream = nullptr;
    uint64_t site = 0;
  };
  std::vector<Configuration> configurations;  // of <<<>>>
  uint64_t launch_site = 0;                   // of the launch under way
  uint32_t launches = 0;
  std::map<std::type_index, std::shared_ptr<void>> kept;  // of the files of src/emu/cuda (kept<T>)
};

using Members = std::shared_ptr<const std::vector<PeId>>;  // world numbers in team order

struct TeamState {
  Members members;  // of a predefined team: found at the first use; null: the handle is free
  uint64_t calls = 0;       // collectives so far
  uint64_t splits = 0;      // collective calls that made teams out of this one
  uint64_t requests = 0;    // … and those that asked for it, also in vain
  uint64_t generation = 0;  // teams that had this handle before
  TeamNumbers numbers;      // of its collectives
  // The algorithm of the last collective, for its other threads and for loops.
  struct Chosen {
    int kind = 0, scope = 0, type = 0, op = 0;
    uint64_t count = 0, element_bytes = 0;
    bool in_place = false;
    Algorithm algorithm = Algorithm::sync_dissemination;
    bool same_call(const Chosen& o) const {
      return kind == o.kind && scope == o.scope && type == o.type && op == o.op && count == o.count &&
             element_bytes == o.element_bytes && in_place == o.in_place;
    }
  };
  std::optional<Chosen> chosen;
  // Whether all members reach each other by loads and stores; absent: not asked yet.
  std::optional<bool> all_load_store;
};

// The PEs that initialised together: PE numbers of NVSHMEM and OpenSHMEM are places in `members`.
struct Job {
  std::vector<PeId> members;
  // What they must agree on, by collective allocation call: bytes (or the block's number for frees) and who said so
  // first.
  struct CollectiveCall {
    const char* what;
    uint64_t argument;
    PeId first;
    uint64_t site;
  };
  std::vector<CollectiveCall> collective_calls;
};

struct ShmemState {
  int initialised = 0;  // reference count
  std::shared_ptr<Job> job;
  int rank = 0;                   // in the job
  bool static_symmetric = false;  // OpenSHMEM: the program's global variables are symmetric, too
  bool finalised = false;
  struct Refused {
    PeId target;
    uint64_t site = 0;
  };
  std::optional<Refused> refused;     // the last null pointer of nvshmem_ptr
  bool holds_peer_addresses = false;  // its kernels run in their checked version
  uint32_t queue_pairs = 0;           // that the program has made (nvshmemx_qp_create)
  uint32_t collective_calls = 0;      // allocations and frees so far
  std::vector<TeamState> teams;
  std::map<uint64_t, uint64_t> registered;  // local buffers, start → bytes
  uint64_t scratch = 0;                     // heap offset of the memory of collectives, team by team
};

struct Pe {
  Pe(World& w, int number) : world(w) { id.value = number, host.pe = id; }
  World& world;
  PeId id;
  device::Host host;
  Fiber* fiber = nullptr;
  Image::Copy copy;
  Registry registry;
  CudaState cuda;
  ShmemState shmem;
  LibcState libc;
  Inbox inbox;
  GpuId gpu;
};

}  // namespace shmemu::emu
