// The modelled GPUs and hosts in time: runs actors, orders what they observe, and wakes them (DESIGN: causality).
//
// An actor's phase starts when the clock has reached it and runs straight through to its next stop. Private
// interactions (barriers, warp operations) join clocks by maximum; posted ones are folded into warp instructions and
// leave at their stamp; observing ones are executed as events, so everything with an earlier time has been applied.
// Programs sit behind KernelProgram and HostProgram: a fiber or a trace. One Machine per World, one OS thread.
#pragma once
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/random.hpp"
#include "device/actor.hpp"
#include "device/grid.hpp"
#include "device/stream.hpp"
#include "device/watch.hpp"
#include "device/witness.hpp"
#include "model/event_queue.hpp"
#include "model/platform.hpp"
#include "transports/observer.hpp"
#include "transports/transfer.hpp"
#include "transports/transport.hpp"

namespace shmemu {
class Router;
}

namespace shmemu::device {

// Where bytes are. `at` gives null for memory that this run does not have (a replay has only the symmetric heap).
class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::byte* at(uint64_t address, uint64_t bytes) = 0;
};

using shmemu::Observer;
using shmemu::Place;

// Sees what an actor asks for, in program order, before the Machine answers. What it writes is a trace.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // `gap` and lane.work: since the lane's last operation.
  virtual void lane_op(const Lane& lane, const Op& op, const Payload* payload, Time gap) = 0;
  // A block whose threads ran at once: what its warps computed.
  virtual void block_work(const Cta& cta, const std::vector<Work>& warps) = 0;
  // The host puts a command into a stream, `since` after its last stop; `also` are further dependencies.
  virtual void submit(const Host& host, const Stream& stream, const Command& command, Time latency,
                      const std::vector<CommandRef>& also, Time since) = 0;
  virtual void host_stop(const Host& host, const Op& op, const Command* awaited, Time since) = 0;
};

// Turns sites and addresses into names for reports.
class Namer {
 public:
  virtual ~Namer() = default;
  virtual std::string site(PeId pe, uint64_t site) const = 0;
  virtual std::string address(PeId pe, uint64_t address) const = 0;
};

struct Counters {
  uint64_t phases = 0;        // warps and hosts set running
  uint64_t lane_runs = 0;     // lanes entered (context switches of the executor)
  uint64_t observations = 0;  // ordered interactions
  uint64_t transfers = 0;
};

// The lanes that make one request together, or a host.
struct Group {
  Host* host = nullptr;
  Warp* warp = nullptr;
  uint32_t mask = 0;   // lanes of `warp`
  Cta* cta = nullptr;  // block scope: all threads of the block that stand at this call
  Cta* block() const { return cta ? cta : warp ? warp->cta : nullptr; }
};

class Machine : private TransferSink {
 public:
  struct Options {
    bool adverse = false;
    Random* random = nullptr;  // start jitter under adverse schedules
    Observer* observer = nullptr;
    Recorder* recorder = nullptr;
    const Namer* namer = nullptr;
    Witness* witness = nullptr;
  };
  Machine(EventQueue& queue, const Platform& platform, Router& router, Memory& memory, int gpus, Options options);

  // Runs until nothing can move. UserError(deadlock) with a report if someone still waits.
  void run();

  void add_host(Host& host, HostProgram& program, Time start);
  bool all_hosts_done() const;

  // --- called by programs while their actor runs ---
  void post(Lane& lane, Op op, Payload payload = {});  // a posted scalar or thread-scoped call …
  bool may_post(const Op& op) const;                   // … else the lane stops at it
  void note_write(Actor& actor, uint64_t address, uint64_t bytes, bool changed);  // after an ordered native access
  // Whether an operation of the lane's block on a line of this memory has not arrived yet.
  bool on_its_way(const Lane& lane, uint64_t address, uint64_t bytes) const;
  // How long a native atomic on this word waits for others that are done there now.
  Time wait_for_word(uint64_t address);
  bool holds(const Actor& actor) const;  // is the condition of actor.stop true now?

  // --- streams; `host.time` is the moment of the call ---
  void submit(Host& host, Stream& stream, const std::vector<Stream*>& all, CommandRef command, Time latency,
              const std::vector<CommandRef>& also = {});
  void finish(const CommandRef& command);  // called from the command's start action or later
  CommandRef stop_until = nullptr;         // set by a host program with stop.kind stream_wait
  void start_grid(std::unique_ptr<Grid> grid);
  void finish_later(const CommandRef& command, Time delay);

  // Memory of `pe` changed by other means than an operation (copy, memset, host store).
  void memory_changed(PeId pe, uint64_t address, uint64_t bytes);

  EventQueue& queue() { return queue_; }
  const Platform& platform() const { return platform_; }
  const Counters& counters() const { return counters_; }
  std::vector<std::unique_ptr<Gpu>>& gpus() { return gpus_; }
  std::string waiting_report() const;  // who waits for what
  // The same for programs: actors that stand (their kernel; null for a host), and kernels with blocks that found no
  // room.
  void for_each_waiting(const std::function<void(const Actor&, const Grid*)>& f) const;
  void for_each_unplaced(const std::function<void(const Grid&)>& f) const;
  // Who wrote the line of this address last, and where.
  std::optional<std::pair<PeId, uint64_t>> last_writer(uint64_t address) const;
  Place place_of(const Actor& actor) const;

 private:
  struct Transit : Transfer {
    Group group;
    Cta* cta = nullptr;
    Host* host = nullptr;
    uint64_t cta_number = 0, pe_number = 0;
    uint64_t behind = 0;  // operations of the CTA before this number come first where the PE is the same
    bool resumes_when_issued = false, resumes_when_returned = false;
    bool by_load_store = true;
    Outstanding* queue = nullptr;  // of the queue pair that the program names
    uint64_t queue_number = 0;
    uint64_t path_number = 0;  // in the block's stores, or in the PE's network operations
    Time started, issued_at;
    uint64_t number = 0;
  };
  struct Drain {  // a quiet or fence that waits for acknowledgements
    Group group;
    std::vector<std::pair<Outstanding*, uint64_t>> behind;  // operations before these marks come first
    Ordering cost;
    Time since;
    Op op;
  };
  struct LastWrite {
    OpKind kind;
    PeId issuer;
    uint64_t site;
    Time when;
    uint64_t transfer = 0;
  };

  // phases (machine.cpp)
  void run_host(Host& host);
  void run_warp(Warp& warp);
  void run_lane(Lane& lane);
  void charge(Lane& lane);
  void share(Warp& warp, uint32_t ran, Time from);
  void lane_exit(Lane& lane);
  void release_barrier(Cta& cta, Barrier& barrier, Time when);
  void run_lanes(const std::vector<Lane*>& lanes);
  std::vector<Lane*> lanes_of(const Group& group) const;
  void check_barrier(Cta& cta, int id);
  void arrive(Lane& lane);
  bool complete_warp_ops(Warp& warp);
  bool complete_active_masks(Warp& warp);
  void observe(Warp& warp, uint32_t mask);
  // folding (fold.cpp)
  void fold(Warp& warp, uint32_t mask);
  // observations (observe.cpp)
  void execute(Group group);
  void execute_memory_op(const Group& group, const Op& op);
  void execute_wait(const Group& group);
  void execute_poll(const Group& group);
  void execute_test(const Group& group);
  void execute_fence(const Group& group, const Op& op);
  void grid_sync(const Group& group);
  void empty_l1(const Group& group);
  void sleep_on(Actor& actor, bool timed);
  void wake_watchers(PeId pe, uint64_t address, uint64_t bytes, Time delay);
  void wake(Actor& actor, Time delay);
  void recheck(std::vector<Actor*>& sleepers, Time delay);
  void recheck_pe(PeId pe);
  static Group group_of(Actor& actor);
  void resume(const Group& group, Time when);
  void resume_now(const Group& group);
  void resume_one(Actor& actor, Time when);
  void poll_again(const Group& group, Time when);
  void await(Drain drain);
  void check_drains(Outstanding& of);
  void end_drain(const Drain& drain);
  Time poll_cost(Actor& actor);
  Time load_of_poll(const Actor& actor) const;
  bool seen_by_last_look(const Actor& actor) const;
  // transfers (transit.cpp)
  Transit& make_transit(const Group& group, PeId issuer);
  void complete(Transit& transit, uint32_t threads);
  void take_source(Piece& piece);
  void start(Transit& transit);
  bool held_back(const Transit& transit) const;
  void issued(Transfer&) override;
  void source_read(Transfer&) override;
  void delivered(Transfer&) override;
  void returned(Transfer&) override;
  void apply(Piece& piece, uint64_t transfer);
  // grids (blocks.cpp)
  void dispatch(Gpu& gpu);
  void start_block(Grid& grid, int sm);
  Time block_time(const Cta& cta, const std::vector<Work>& warps);
  void block_exited(Cta& cta, Time end);
  void forget_if_quiet(Cta& cta);
  void maybe_end(Grid& grid);

  Time adverse_pause();  // how long a thread is kept from running, under adverse schedules
  void begin(const CommandRef& command);
  void progress() { last_progress_ = queue_.now(); }
  template <class F>
  void for_each(const Group& group, F&& f) const;
  Actor& leader(const Group& group) const;
  Gpu& gpu_of(const Grid& grid) const { return *gpus_[static_cast<size_t>(grid.gpu.value)]; }
  void span(const Group& group, const Op& op, uint64_t bytes, Time from, Time to, uint64_t flow = 0);
  uint64_t arrived_by(const Op& wait) const;

  EventQueue& queue_;
  const Platform& platform_;
  const GpuModel& gpu_model_;
  Router& router_;
  Memory& memory_;
  Options options_;
  WatchTable watch_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<std::pair<Host*, HostProgram*>> hosts_;  // by PE
  std::list<std::unique_ptr<Grid>> grids_;
  std::unordered_map<Transit*, std::unique_ptr<Transit>> transits_;
  std::unordered_map<Outstanding*, std::vector<Drain>> drains_;  // looked up only
  std::unordered_map<uint64_t, LastWrite> last_write_;           // by line; looked up only
  std::unordered_map<uint64_t, Time> word_until_;                // native atomics, by address; looked up only
  std::unordered_map<const Host*, CommandRef> host_waits_;
  Counters counters_;
  Time last_progress_;
  size_t polls_pending_ = 0;  // queued events that only let a fruitless poll look again
};

template <class F>
void Machine::for_each(const Group& g, F&& f) const {
  if (g.host) return f(static_cast<Actor&>(*g.host));
  if (g.cta) {
    for (Lane& lane : g.cta->threads)
      if (lane.state == Actor::State::stopped && lane.stop.scope == Scope::block) f(static_cast<Actor&>(lane));
    return;
  }
  for (uint32_t m = g.mask; m; m &= m - 1) f(static_cast<Actor&>(*g.warp->lane(__builtin_ctz(m))));
}

}  // namespace shmemu::device
