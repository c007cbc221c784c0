// Streams: commands of a PE in order, with CUDA's rules for the legacy default stream and for events.
// A command starts when it has been submitted (at the host's clock) and everything it depends on has finished. What it
// does is its `start` action, which must lead to Machine::finish.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/actor.hpp"
#include "device/launch.hpp"

namespace shmemu::device {

struct Command {
  OpKind kind = OpKind::host_work;
  std::string name;
  PeId pe;
  int stream = 0;
  // what it does, for traces: a kernel, something that takes `duration`, or nothing but its order
  std::shared_ptr<const Launch> launch;
  GpuId gpu;
  std::optional<Time> duration;
  uint64_t number = 0;  // counts commands of the PE
  std::function<void()> start;
  int missing = 1;  // unfinished dependencies, and the submission itself
  bool finished = false;
  Time submitted, begun, ended;
  std::vector<std::shared_ptr<Command>> dependents;
  std::vector<Actor*> waiters;
};
using CommandRef = std::shared_ptr<Command>;

struct Stream {
  int number = 0;        // 0 is the legacy default stream
  bool blocking = true;  // synchronises with the default stream
  CommandRef tail;       // last submitted; null or finished = idle
  bool idle() const { return !tail || tail->finished; }
};

}  // namespace shmemu::device
