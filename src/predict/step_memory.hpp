// Steps of a collective that need every member, remembered, so that a step like one that was gone through need not be
// gone through again. Two ways, both exact:
// * PhaseSums: what a PE does in a step falls into phases, each of which ends when the signal of one other PE is seen.
//   Where phases take the same time each time, and depend on nothing but that signal, a step is a matter of sums and
//   maxima.
// * StepMemory: else what a step does to the clocks of the PEs depends on its kind and on how far the PEs are apart
// when
//   it begins. A step that was gone through from the same distances is known.
// Used by TimedTeam; one thread. Times are picoseconds; nothing is rounded.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"

namespace shmemu::predict {

using Clocks = std::vector<Time>;  // of all PEs that are simulated

// What one PE does until it has seen the signal that another one sent in the same phase, or until the step ends.
struct Phase {
  uint64_t work = 0;         // a digest of all it does before it looks for the signal
  Time until_look;           // from the begin of the phase; at the end of a step: until it ends
  size_t sender = 0;         // the PE whose signal it is; oneself at the end of a step
  uint64_t sender_work = 0;  // a digest of what the sender did before and of the way that the signal took
  Time until_arrival;        // from the begin of the sender's phase
};
// The phases of all PEs; empty for PEs whose step is no sequence of such phases.
using Phases = std::vector<std::vector<Phase>>;

class PhaseSums {
 public:
  // A signal that is there when it is looked for is read in `found`; one that arrives later is seen `seen` after.
  PhaseSums(Time found, Time seen) : found_(found), seen_(seen) {}
  // False if steps of this kind cannot be added up.
  bool learn(uint64_t kind, const Phases& phases);
  bool knows(uint64_t kind) const { return kinds_.count(kind) != 0; }
  // Moves `clocks` over a step of this kind; false and unchanged if it is not known.
  bool pass(uint64_t kind, Clocks& clocks) const;

 private:
  struct Kind {
    size_t phases;
    std::vector<int64_t> until_look, until_arrival;  // by phase, then by PE
    std::vector<uint32_t> sender;
    std::vector<uint64_t> works;  // that these times are those of
  };
  bool always(uint64_t work, Time takes);
  Time found_, seen_;
  std::unordered_map<uint64_t, std::optional<Time>> takes_;  // by digest; none: not always the same
  std::map<uint64_t, Kind> kinds_;
  mutable std::vector<int64_t> begin_, end_;  // of a phase
};

class StepMemory {
 public:
  StepMemory(Time found, Time seen) : sums_(found, seen) {}
  // When a step began, and the one before it.
  struct State {
    Clocks earlier, now;
    uint64_t earlier_kind = 0;
  };
  void learn(uint64_t kind, const State& before, const Clocks& after, const Phases& phases);
  // Moves `state` over a step of this kind; false and unchanged if none like it is known.
  bool pass(uint64_t kind, State& state) const;

 private:
  struct Known {
    uint64_t kind;
    State before;
    Clocks after;  // all relative to the first PE's clock when the step began
  };
  const Known* remembered(uint64_t kind, const State& state) const;
  PhaseSums sums_;
  std::unordered_multimap<uint64_t, Known> known_;  // by a digest of kind and distances
};

// One loop of such steps under way. At the end of step i every PE has ended step i - 1, so that all PEs decide alike,
// on the same numbers: the first one to end a step decides for all.
class StepLoop {
 public:
  using KindOf = std::function<uint64_t(uint64_t)>;
  // The last two of `count` steps are never passed over: what follows finds the messages of the last ones on their way.
  // `period`: steps i and i + period are of one kind, both below `periodic`; 0: none.
  StepLoop(StepMemory& memory, size_t pes, uint64_t count, KindOf kind, uint64_t period = 0, uint64_t periodic = 0)
      : memory_(memory), pes_(pes), count_(count), kind_(std::move(kind)), period_(period), periodic_(periodic) {}
  void begins(size_t pe, Time at) { before(0).clocks[pe] = at; }
  struct Jump {
    uint64_t to = 0;  // the step that is next
    Clocks from, at;  // all PEs' clocks at the end of the step that was just gone through, and when `to` begins
    Time common;      // that all jump by at least
  };
  // What `pe` does at the end of `step`; none: goes on with the next step.
  const Jump* ends(size_t pe, uint64_t step, Time at, std::vector<Phase> phases);
  // Has every PE left it? Asked once by each.
  bool left() { return ++left_ == pes_; }

 private:
  struct Step {
    Clocks clocks;  // when it begins
    Phases phases;
  };
  Step& before(uint64_t step);
  void decide(uint64_t step);
  StepMemory::State state_before(uint64_t step);
  void pass_periods(uint64_t& next, StepMemory::State& state);
  StepMemory& memory_;
  size_t pes_, left_ = 0;
  uint64_t count_;
  KindOf kind_;
  uint64_t period_, periodic_;
  struct Begun {
    uint64_t step;
    StepMemory::State state;
  };
  std::unordered_multimap<uint64_t, Begun> periods_;  // that were passed over, by a digest of their first clocks
  std::map<uint64_t, Step> steps_;                    // the last ones
  uint64_t decided_ = 0;                              // for the ends of steps below
  uint64_t jumped_to_ = 0;                            // no step before it can be learned from
  std::map<uint64_t, Jump> jumps_;                    // by the step that ends, the last ones
};

}  // namespace shmemu::predict
