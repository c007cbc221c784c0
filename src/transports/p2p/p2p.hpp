// Loads and stores to a peer's memory over NVLink. One egress and one ingress port per GPU.
#pragma once
#include <functional>
#include <vector>

#include "base/ids.hpp"
#include "transports/load_store.hpp"

namespace shmemu {

class P2pTransport : public LoadStore {
 public:
  // `gpu_of` tells on which GPU a PE sits; it may change until the PE first communicates.
  P2pTransport(EventQueue& queue, const GpuModel& gpu, int gpus, std::function<GpuId(PeId)> gpu_of)
      : LoadStore(queue, gpu,
                  {gpu.flight_remote, gpu.ack_remote, gpu.fetch_remote, gpu.remote_load, gpu.nvlink_store,
                   gpu.nvlink_load}),
        gpu_of_(std::move(gpu_of)),
        egress_(gpus),
        ingress_(gpus) {}
  Caps caps() const override { return {.load_store = true, .native_atomics = true, .source_read_at_call = true}; }

 private:
  Time occupy(const Op& op, uint64_t bytes, Rate rate) override;
  std::function<GpuId(PeId)> gpu_of_;
  std::vector<Time> egress_, ingress_;  // free from this time on
};

}  // namespace shmemu
