// Actors: what has a clock of its own. A Lane is one CUDA thread of a warp, a Host is the CPU thread of a PE.
// An actor runs its program straight through until it stops at an interaction (`stop`), and goes on when the Machine
// answers. The program behind an actor is a fiber of a real executable or a cursor in a trace; nobody here can tell.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "device/compute.hpp"
#include "device/l1.hpp"
#include "transports/transfer.hpp"

namespace shmemu::device {

struct Warp;
struct Cta;
struct Grid;

// Remote operations that someone (a CTA, a PE) has posted and that are not acknowledged yet. quiet waits for those
// posted before it.
class Outstanding {
 public:
  uint64_t add() { return open_.push_back(next_), next_++; }
  void remove(uint64_t number);
  uint64_t mark() const { return next_; }
  bool drained(uint64_t mark) const { return open_.empty() || open_.front() >= mark; }
  size_t size() const { return open_.size(); }

 private:
  uint64_t next_ = 0;
  std::vector<uint64_t> open_;  // ascending; short
};

struct Actor {
  enum class State : uint8_t { fresh, ready, running, stopped, done };
  Actor() = default;
  Actor(Actor&&) = default;
  virtual ~Actor() = default;
  virtual bool is_host() const = 0;

  PeId pe;
  State state = State::fresh;
  bool fresh_value = false;  // the last stop was an ordered access or a poll: what was loaded since is current
  bool changed = false;      // changed memory since the last poll: its loop makes progress
  uint32_t fruitless = 0;    // polls in a row without an answer
  Time time;                 // own clock
  Time gap;                  // compute time since the last interaction
  Op stop;                   // where it stands
  Payload given;             // bytes that come with `stop`, taken at the call
  uint64_t stops = 0;        // counts stops: a wake-up for an older one is stale
  Time poll_since;           // first of the fruitless polls
  uint64_t result = 0;       // the Machine's answer
  uint64_t before = 0;       // word before an ordered native access
  void* context = nullptr;   // the program's
};

// A posted scalar call of a lane, not yet folded into a warp instruction.
struct Posted {
  Op op;
  Payload payload;
  Time gap;
};

struct Lane : Actor {
  bool is_host() const override { return false; }
  Warp* warp = nullptr;
  uint8_t index = 0;    // 0..31
  uint32_t thread = 0;  // number in the block
  shmemu_work work{};   // counted since it was last charged
  Work phase;           // charged since the lane was set running
  Time credit;          // of the next charge: it repeats a look that has been paid for
  std::vector<Posted> log;
};

struct Host : Actor {
  bool is_host() const override { return true; }
  Outstanding outstanding;                                  // of the whole PE: its host calls and its kernels
  Outstanding network;                                      // those of them that went to the network
  std::map<std::pair<PeId, uint32_t>, Outstanding> queues;  // and by target and queue pair, where the program names one
  int exit_code = 0;
  uint64_t commands = 0;  // submitted so far
};

struct Warp {
  Cta* cta = nullptr;
  uint32_t number = 0;
  uint32_t lanes = 0;  // mask of existing lanes
  uint32_t live = 0;   // not exited
  uint32_t runnable = 0;
  uint32_t at_warp_op = 0;     // stopped at a warp operation
  uint32_t at_group_call = 0;  // stopped at a warp-scoped call
  Lane* lane(int i) const;
};

struct Barrier {
  uint32_t arrived = 0, expected = 0;  // expected 0: all live threads
  Time latest;
  int count = 0, all = 1, any = 0;  // of __syncthreads_count/and/or
  std::vector<Lane*> waiting;
};

struct Cta {
  static constexpr int kBarriers = 17;  // 16 named ones and one for block-scoped calls
  static constexpr int kScopeBarrier = 16;
  Grid* grid = nullptr;
  uint32_t index = 0;  // linear block number
  int sm = 0;
  uint32_t live = 0;
  std::vector<Lane> threads;
  std::vector<Warp> warps;
  std::vector<Barrier> barriers;
  std::vector<Actor*> local_sleepers;  // poll shared memory of this block
  Outstanding outstanding;
  Outstanding stores;  // those of them over load/store paths
  L1 l1;
  uint64_t fence_mark = 0;      // of the last fence that did not wait (adverse schedules) …
  std::vector<Transfer*> held;  // … and what must not overtake operations before it
  const char* shared_begin = nullptr;
  const char* shared_end = nullptr;
  void* context = nullptr;  // the program's
  bool finished = false;    // all threads have exited
  bool left = false;        // and its place on the SM is free
  bool owns(uint64_t address) const {
    return address >= reinterpret_cast<uint64_t>(shared_begin) && address < reinterpret_cast<uint64_t>(shared_end);
  }
};

inline Lane* Warp::lane(int i) const { return &cta->threads[number * 32 + static_cast<uint32_t>(i)]; }

// The code behind a kernel.
class KernelProgram {
 public:
  virtual ~KernelProgram() = default;
  virtual void begin(Cta&) = 0;  // a block becomes resident
  virtual void run(Lane&) = 0;   // until the lane's next stop; sets lane.stop (kind exit at the end)
  virtual void end(Cta&) = 0;
  // Kernels without any stop may run a whole block at once; returns false if this one cannot. Of each warp: the slowest
  // lane's chain and slots, and the bytes of all lanes.
  virtual bool run_block(Cta&, std::vector<Work>& warps) {
    (void)warps;
    return false;
  }
};

class HostProgram {
 public:
  virtual ~HostProgram() = default;
  virtual void run(Host&) = 0;
};

}  // namespace shmemu::device
