// Copy loops of loads and stores by GPU threads: the mechanism shared by `self` (own memory) and `p2p` (a peer's memory
// over NVLink). Formulas: docs/design/transports.md. Ports are served first come, first served.
#pragma once
#include <vector>

#include "model/event_queue.hpp"
#include "model/gpu_model.hpp"
#include "transports/transport.hpp"

namespace shmemu {

// Time of one trip of the loop {load `width` bytes, store them} when `threads` threads run it, the source costing
// `load_extra` more than an L1 hit.
Time copy_trip(const GpuModel& gpu, uint32_t threads, uint32_t width, Time load_extra);
// Time until the last store (or load) of a copy of `bytes` has been issued, without the call itself.
Time copy_loop(const GpuModel& gpu, uint32_t threads, uint64_t bytes, Time load_extra);

class LoadStore : public Transport {
 public:
  struct Costs {
    Time flight, acknowledge, fetch, load;
    Rate store_rate, load_rate;
  };
  LoadStore(EventQueue& queue, const GpuModel& gpu, Costs costs) : queue_(queue), gpu_(gpu), costs_(costs) {}
  Time issue_time(const Transfer& transfer) const override;
  void post(Transfer& transfer, TransferSink& sink) override;
  Time fence_cost() const override { return gpu_.fence_system; }

 protected:
  // When the link has carried `bytes` that want to start now; keeps the ports busy until then.
  virtual Time occupy(const Op& op, uint64_t bytes, Rate rate) = 0;
  EventQueue& queue_;
  const GpuModel& gpu_;

 private:
  Costs costs_;
};

}  // namespace shmemu
