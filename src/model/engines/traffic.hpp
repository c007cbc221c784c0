// Patterns of messages between GPUs and how long an engine takes for one: who finishes when, all sent at once or each
// sender one after the other. What `shmemu traffic` and the bench of the engines run.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "model/engines/engine.hpp"

namespace shmemu {

struct Pattern {
  std::string name = "all-to-all";  // all-to-all, random, incast, shift
  int endpoints = 0;
  uint64_t bytes = 65536;  // of a message
  int each = 8;            // random: messages of an endpoint; shift: distance
  uint64_t seed = 1;
};
// UserError(usage) for unknown names and fewer than two endpoints.
std::vector<Flow> flows_of(const Pattern& pattern);

struct TrafficResult {
  std::vector<Time> delivered;  // by flow
  Time last;
  uint64_t events = 0;
};
// All flows start at once; `wanted` names the engine.
TrafficResult run_traffic(const Wiring& wiring, const std::vector<Flow>& flows, const EngineOptions& wanted);

// The same in a child process: SimGrid cannot run twice in one. Only the times come back; UserError as run_traffic.
TrafficResult run_traffic_apart(const Wiring& wiring, const std::vector<Flow>& flows, const EngineOptions& wanted);

// No engine can be faster: the fullest port, and the longest way.
Time least_time(const Wiring& wiring, const std::vector<Flow>& flows);

}  // namespace shmemu
