// Links shared fairly: what round-robin service of small chunks comes to. A flow crosses up to three ports (the store pipe
// of its SM, an egress, an ingress) and never exceeds its own cap (what its threads can issue); each port gives its flows
// equal shares, and what a capped flow leaves goes to the others. Place: under the transports. One owner, no threads.
//
// A FIFO link would let blocks drift apart and hide each other's quiet, which measured loops do not do
// (docs/design/transports.md).
#pragma once
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/function.hpp"
#include "base/time.hpp"
#include "model/event_queue.hpp"

namespace shmemu {

class FairLinks {
 public:
  FairLinks(EventQueue& queue, int ports) : queue_(queue), ports_(static_cast<size_t>(ports)) {}
  struct Hop {
    int port = 0;   // numbers are the caller's
    Rate rate;      // of the port when it carries flows of this kind
    // A full port serves a window of `window` bytes and then waits `stall`: its rate falls with little in flight.
    uint64_t window = 0;
    Time stall;
  };
  struct Request {
    std::vector<Hop> hops;  // distinct ports
    uint64_t bytes = 0;
    Rate cap;
  };
  // Starts now; `done` runs when the last byte has passed all ports.
  void start(Request request, Action done);
  size_t active() const { return flows_.size(); }

 private:
  struct Flow {
    uint64_t number;
    std::vector<Hop> hops;
    double left, cap, rate = 0;  // bytes, bytes per ps
    Time since;                  // `left` was true then
    uint64_t version = 0;        // of its finish event
    Action done;
  };
  struct Port {
    std::vector<std::pair<Flow*, const Hop*>> flows;
    double level = 0;  // what an uncapped flow gets, bytes per ps
    bool dirty = false;
  };
  Port& port(int number) { return ports_[static_cast<size_t>(number)]; }
  void settle(Flow& flow);
  static void share(Port& port);
  void touch(int port);
  void share_again();
  void finish(uint64_t number, uint64_t version);
  EventQueue& queue_;
  std::vector<Port> ports_;
  std::unordered_map<uint64_t, Flow> flows_;  // by number; looked up only
  std::vector<int> dirty_;  // ports whose flows have changed at this moment; shared out once
  uint64_t started_ = 0, versions_ = 0;
};

}  // namespace shmemu
