// Two engines of ours. FifoPorts: a port serves whole messages, first come first served; one event per port and
// message. FairPorts: a port serves its flows in turns of one chunk, which is what adapters and NVLink switches do; one
// event per chunk and port at most, one for a whole turn over all flows where it is busy. Bytes cut through: a port
// forwards while it still receives. Buffers between ports have no limit, so a flow that is held up further on still
// takes its turns before. Both: integer picoseconds, no allocation per event; what one event touches of a flow lies in
// one record.
#pragma once
#include <vector>

#include "model/engines/engine.hpp"
#include "model/engines/radix_heap.hpp"

namespace shmemu {

// What both have in common: flows, the heap, the clock.
class PortsEngine : public Engine {
 public:
  FlowId submit(const Flow& flow, Time at) final;
  void advance(Time until) final;
  Time now() const final { return {static_cast<int64_t>(now_)}; }
  uint64_t events() const final { return events_; }
  size_t active() const final { return flows_.size() - free_.size(); }

 protected:
  struct Record {
    std::array<uint32_t, 4> ports;
    uint64_t bytes;
    uint64_t tail;                  // when the last byte has passed the port before (FifoPorts)
    uint32_t latency, acknowledge;  // ps
  };
  // 0-3: at that port of the route; the rest are told to the listener.
  enum What : uint8_t { at_port = 0, accepted = 4, first_byte, delivered, acknowledged, turn };

  PortsEngine(const Wiring& wiring, FlowListener& listener, Told told);
  virtual void started(FlowId flow) { (void)flow; }
  virtual void arrive(FlowId flow, unsigned hop) = 0;
  virtual void take_turn(uint32_t port) { (void)port; }
  void later(uint64_t ps, uint32_t number, unsigned what) { heap_.push(ps, uint64_t{number} << 8 | what); }
  bool last(const Record& r, unsigned hop) const { return hop == 3 || r.ports[hop + 1] == Route::kNone; }
  uint64_t time_for(uint32_t port, uint64_t bytes) const {
    return static_cast<uint64_t>(static_cast<double>(bytes) * ps_per_byte_[port] + 0.999);
  }
  // The last byte has passed the last port at `end`; `end` includes the latency.
  void arrived(FlowId flow, uint64_t end);

  std::vector<Record> flows_;
  std::vector<double> ps_per_byte_;
  uint64_t now_ = 0;
  const Told told_;

 private:
  void tell(FlowId flow, unsigned what);
  const Wiring& wiring_;
  FlowListener& listener_;
  std::vector<FlowId> free_;
  RadixHeap heap_;
  uint64_t events_ = 0;
};

class FifoPorts final : public PortsEngine {
 public:
  FifoPorts(const Wiring& wiring, FlowListener& listener, Told told);

 private:
  void arrive(FlowId flow, unsigned hop) override;
  std::vector<uint64_t> free_at_;  // of each port
};

class FairPorts final : public PortsEngine {
 public:
  FairPorts(const Wiring& wiring, FlowListener& listener, Told told, uint64_t chunk);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  // A flow at one of its ports. Four of them in a row are one flow.
  struct Seat {
    uint32_t next = kNone;  // in the circle of the port
    uint32_t waiting = 0;   // chunks that have come and are not served
    uint32_t unserved = 0;  // chunks that are not served, come or not
  };
  struct Port {
    uint32_t first = kNone, last = kNone;  // circle of seats with waiting chunks
    uint64_t free_at = 0, chunk_ps = 0;
    bool turning = false;  // an event for the next turn is on its way
  };
  void started(FlowId flow) override;
  void arrive(FlowId flow, unsigned hop) override;
  void take_turn(uint32_t port) override;
  void sit(Port& port, uint32_t seat);
  uint64_t serve(uint32_t port, uint32_t seat, uint64_t begin);
  const uint64_t chunk_;
  std::vector<Port> ports_;
  std::vector<Seat> seats_;
};

}  // namespace shmemu
