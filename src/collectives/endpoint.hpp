// What a collective algorithm may use: the place of one PE (or its group of threads) in a team, and puts, signals and
// waits. The same algorithm runs with real data inside kernels and, later, timing-only. Written by src/emu.
#pragma once
#include <cstddef>
#include <cstdint>

namespace shmemu {

// What the library computes around the messages: looking up the team and its counters, addresses, flags.
enum class Overhead { sync_entry, sync_round, barrier };

class Endpoint {
 public:
  virtual ~Endpoint() = default;
  virtual int me() const = 0;
  virtual int size() const = 0;
  // The threads that call together; exactly one of them is the leader, who sends and waits for signals.
  virtual bool leader() const = 0;
  virtual void group_sync() = 0;
  virtual void spend(Overhead what) = 0;
  // By the whole group. Addresses are symmetric addresses of the calling PE.
  virtual void put(void* dest, const void* source, uint64_t bytes, int peer) = 0;
  virtual void get(void* dest, const void* source, uint64_t bytes, int peer) = 0;
  // By the leader. Slot numbers address this team's signal words; values only grow.
  virtual void signal(int slot, uint64_t value, int peer) = 0;
  virtual void wait(int slot, uint64_t at_least) = 0;
  virtual void quiet() = 0;
  // The number of synchronisations this team has had on this PE, incremented.
  virtual uint64_t next_sync() = 0;
  // dest[i] = dest[i] op source[i] for `count` elements, local memory, by the leader.
  virtual void combine(void* dest, const void* source, uint64_t count) = 0;
};

constexpr int kSyncSlots = 16;  // one per dissemination round: teams of up to 65536 PEs

}  // namespace shmemu
