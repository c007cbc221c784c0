// Links shared fairly: what round-robin service of small chunks comes to. A flow uses one egress and one ingress port and
// never exceeds its own cap (the issue rate of its threads); each port gives its flows equal shares, and what a capped
// flow leaves goes to the others. Place: under the transports. One owner, no threads.
//
// A FIFO link would let blocks drift apart and hide each other's quiet, which measured loops do not do
// (docs/design/transports.md).
#pragma once
#include <cstdint>
#include <list>
#include <vector>

#include "base/function.hpp"
#include "base/time.hpp"
#include "model/event_queue.hpp"

namespace shmemu {

class FairLinks {
 public:
  FairLinks(EventQueue& queue, int ports) : queue_(queue), ports_(static_cast<size_t>(ports)) {}
  struct Request {
    int egress, ingress;  // port numbers are the caller's
    uint64_t bytes;
    Rate port_rate;  // of a port that carries flows of this kind
    Rate cap;        // what the flow itself can do
    // A full port serves a window of `window` bytes and then waits `stall`: the rate falls with little in flight.
    uint64_t window;
    Time stall;
  };
  // Starts now; `done` runs when the last byte has passed both ports.
  void start(const Request& request, Action done);
  size_t active() const { return flows_.size(); }

 private:
  struct Flow {
    Request request;
    double left, cap, rate = 0;  // bytes, bytes per ps
    Time since;                  // `left` was true then
    uint64_t version = 0;        // of its finish event
    Action done;
  };
  struct Port {
    std::vector<Flow*> flows;
    double level = 0;  // what an uncapped flow gets, bytes per ps
    bool dirty = false;
  };
  void settle(Flow& flow);
  void share(Port& port);
  void touch(int port);
  void share_again();
  void finish(Flow* flow, uint64_t version);
  EventQueue& queue_;
  std::vector<Port> ports_;
  std::list<Flow> flows_;
  std::vector<int> dirty_;  // ports whose flows have changed at this moment; shared out once
  uint64_t versions_ = 0;
};

}  // namespace shmemu
