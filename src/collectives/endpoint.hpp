// What a collective algorithm may use: the place of one PE (or its group of threads) in a team, puts, signals, waits,
// and the library's own memory of the team. The same algorithm runs with real data inside kernels (src/emu/api) and
// timing-only (src/predict). Every thread of the group calls every function, unless it says otherwise.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/costs.hpp"
#include "collectives/scratch.hpp"
#include "transports/op.hpp"

namespace shmemu {

struct Put {
  void* dest = nullptr;  // symmetric address of the calling PE
  const void* source = nullptr;
  uint64_t bytes = 0;
  int peer = 0;
  bool packed = false;  // ends with a flag that somebody polls (packing.hpp)
};
// Words are set to numbers that grow; `add` counts by one. Those of `set` go by stores where a peer is near, those of
// `word`, as in barriers, through the adapter when the job has network paths (NVSHMEM 3.3.9).
struct Signal {
  enum class Kind : uint8_t { word, set, add };
  int slot = 0, peer = 0;
  uint64_t value = 0;
  Kind kind = Kind::word;
};
// `word`: its slot's address at the peer.
inline void fill(Op& op, const Signal& s, uint64_t word) {
  op.remote = op.signal = word;
  op.value = s.value;
  op.signal_op = s.kind == Signal::Kind::add ? Op::kSignalAdd : Op::kSignalSet;
  if (s.kind == Signal::Kind::word) op.function = Op::kLibrarySignal;
}
struct SignalWait {
  int slot = 0;
  uint64_t at_least = 0;
};
// Loads and stores that reach the same address of all members at once (NVLS): a sum, a copy, or both.
struct Multicast {
  void* dest = nullptr;
  const void* source = nullptr;
  uint64_t count = 0, element_bytes = 1;
  bool sum = false;     // of all members' sources
  bool to_all = false;  // stored at every member's `dest`
  bool packed = false;  // as of Put
  uint64_t bytes() const { return count * element_bytes; }
};
// Steps of a collective that need every member.
struct Loop {
  uint64_t count = 0;
  // Steps with equal numbers do the same work along alike ways, in this loop and in all others of a call sequence.
  // None: no step is like another.
  std::function<uint64_t(uint64_t)> kind;
  int lag = 1;          // at the end of step i every member has ended step i - lag
  uint64_t period = 0;  // not 0: steps i and i + period have equal numbers, both below `periodic`
  uint64_t periodic = 0;
};
// Packed data that arrive in this PE's scratch memory.
struct Receive {
  void* dest = nullptr;
  const void* packed = nullptr;
  uint64_t bytes = 0;  // of data
};

class Endpoint {
 public:
  virtual ~Endpoint() = default;
  virtual int me() const = 0;
  virtual int size() const = 0;
  virtual Scope scope() const = 0;
  virtual uint32_t threads() const = 0;  // of the group
  uint32_t warps() const { return (threads() + 31) / 32; }
  // Whether `peer` is reached by loads and stores.
  virtual bool load_store(int peer) const = 0;
  virtual bool all_load_store() const = 0;  // every member reaches every other so
  // The part of a team that shares this PE's node, or that has its place in the other nodes; with their own scratch
  // memory.
  enum class Part { node, column };
  virtual std::unique_ptr<Endpoint> part(Part which) = 0;

  // Exactly one thread of the group is the leader.
  virtual bool leader() const = 0;
  virtual void group_sync() = 0;
  virtual void spend(Overhead what, uint64_t items = 1) = 0;
  // Runs `step` for 0 … count-1. A timing-only endpoint may skip what is known to repeat (timed_team.cpp), so a step
  // counts for itself whatever must be counted.
  virtual void repeat(const Loop& loop, const std::function<void(uint64_t)>& step) = 0;
  // Equal numbers: messages to the members `first` … `first` + `count` - 1 ahead take ways that are alike, for every
  // member. Only an endpoint that skips steps is asked.
  virtual uint64_t ways(int first, int count) const { return static_cast<uint64_t>(first + count); }

  virtual void put(const Put& put) = 0;
  // Shared out over the warps of a block; one after the other otherwise.
  virtual void put_each(const std::vector<Put>& puts) = 0;
  // Each by a thread of its own, which adds one to a slot of the peer after the data.
  virtual void put_signal_each(const std::vector<Put>& puts, int slot) = 0;
  // One after the other by the leader, or all at once by as many threads.
  virtual void signal(const Signal& signal) = 0;
  virtual void wait(int slot, uint64_t at_least) = 0;
  virtual void signal_each(const std::vector<Signal>& signals) = 0;
  virtual void wait_each(const std::vector<SignalWait>& waits) = 0;
  // By all threads; where the team has multicast.
  virtual void multicast(const Multicast& multicast) = 0;
  // By the leader: orders earlier operations before later ones to the same PE; waits until all are complete.
  virtual void fence() = 0;
  virtual void quiet() = 0;
  virtual void store_fence() = 0;  // of loads and stores only: __threadfence_system

  // The library's memory: this PE's copy of an area, and numbers that live from call to call (written by the leader,
  // read by the others after a group_sync).
  virtual char* scratch(Area area) = 0;
  virtual uint64_t scratch_bytes(Area area) const = 0;
  virtual uint64_t& state(Tally which, int member = 0) = 0;

  // Local data, without time: by the leader.
  virtual void copy(void* dest, const void* source, uint64_t bytes) = 0;
  virtual void combine(void* dest, const void* source, uint64_t count) = 0;  // dest[i] = dest[i] op source[i]
  virtual void pack(Packing packing, void* dest, const void* source, uint64_t bytes, uint32_t flag) = 0;
  // Waits until all packed data carry `flag`, by as many threads; then the leader unpacks them. Ends with a group_sync.
  virtual void receive_each(Packing packing, const std::vector<Receive>& blocks, uint32_t flag) = 0;
};

}  // namespace shmemu
