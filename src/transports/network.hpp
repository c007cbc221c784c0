// The network between nodes as adapters see it: queue pairs whose requests leave in order, an adapter per GPU that
// takes a limited number of requests per second, wires and leaf switches. Shared by the transports `ibgda` and `proxy`,
// which differ in who builds the requests. Formulas and sources: docs/design/transports.md.
//
// Requests of one queue pair arrive and complete in order; nothing orders those of two.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/function.hpp"
#include "model/event_queue.hpp"
#include "model/fabric.hpp"
#include "model/fair_links.hpp"

namespace shmemu {

class Network {
 public:
  enum class Kind { write, read, atomic };
  struct Request {
    Kind kind = Kind::write;
    GpuId from, to;
    uint64_t bytes = 0;        // of payload
    uint32_t entries = 1;      // work requests
    uint32_t packets = 1;      // at least so many on the wire
    bool then_atomic = false;  // an atomic follows at once (write with signal)
    Time fetch;                // from doorbell to the first byte; zero: inline
    Time turn;                 // the queue pair takes nothing else for so long, and completes later by it
    Action read_source;        // payload bytes are read
    Action arrived;            // applied in the target's memory, or read there
    Action completed;          // completion entry visible to the issuer
  };
  class Queue {  // a queue pair; owned by a transport
    friend class Network;
    struct Entry {
      Request request;
      Time rung;
      std::optional<Time> finished = {};
    };
    std::vector<std::unique_ptr<Entry>> entries_;  // few; not completed, in order; the first `taken_` are on their way
    size_t taken_ = 0;
    bool sending_ = false;
    Time next_, last_arrival_, last_completion_;
  };

  // The adapter whose ports carry what those of another one would; none: each its own (router.hpp).
  using StandIn = std::function<GpuId(GpuId)>;
  Network(EventQueue& queue, const Platform& platform, int gpus, StandIn stand_in = {});
  // The doorbell has been rung. `queue` lives until all its requests have completed.
  void send(Queue& queue, Request request);
  const Fabric& fabric() const { return fabric_; }

 private:
  struct Adapter {
    Time next;     // takes the next request
    Time out, in;  // small messages on the wire
  };
  void pump(Queue& queue);
  void leave(Queue& queue, Queue::Entry* entry);
  void sent(Queue& queue, Queue::Entry* entry, Time end);
  void answer(Queue& queue, Queue::Entry* entry);
  void complete(Queue& queue, Queue::Entry* entry, Time when);
  uint64_t wire_bytes(uint64_t bytes, uint32_t packets) const;
  // When a small message has passed both ports, first come first served.
  Time carry_small(GpuId from, GpuId to, uint64_t wire);
  void carry(GpuId from, GpuId to, uint64_t wire, Action done);
  Time flight(GpuId from, GpuId to) const;
  GpuId port_of(GpuId g) const { return stand_in_ ? stand_in_(g) : g; }
  Adapter& adapter(GpuId g) { return adapters_[static_cast<size_t>(port_of(g).value)]; }
  EventQueue& queue_;
  const NicModel& nic_;
  Time switch_latency_;
  StandIn stand_in_;
  Fabric fabric_;
  FairLinks links_;  // out and in of each adapter, up and down of each leaf
  std::vector<Adapter> adapters_;
};

}  // namespace shmemu
