// Loads and stores to a peer's memory over NVLink. One egress and one ingress port per GPU.
#pragma once
#include <functional>

#include "base/ids.hpp"
#include "transports/load_store.hpp"

namespace shmemu {

class P2pTransport : public LoadStore {
 public:
  // `gpu_of` tells on which GPU a PE sits; it may change until the PE first communicates. Ports 2g and 2g + 1 of `links`
  // are the egress and ingress of GPU g;
  // `pipes` is the first of one port per SM of every GPU.
  P2pTransport(EventQueue& queue, const GpuModel& gpu, FairLinks& links, int pipes, std::function<GpuId(PeId)> gpu_of)
      : LoadStore(queue, gpu, links,
                  {gpu.flight_remote, gpu.ack_remote, gpu.fetch_remote, gpu.remote_load, gpu.nvlink_store,
                   gpu.nvlink_load}),
        pipes_(pipes),
        gpu_of_(std::move(gpu_of)) {}
  Caps caps() const override { return {.load_store = true, .native_atomics = true, .source_read_at_call = true}; }

 private:
  std::pair<int, int> ports(const Op& op, bool load) const override {
    GpuId from = gpu_of_(load ? op.target : op.issuer), to = gpu_of_(load ? op.issuer : op.target);
    return {2 * from.value, 2 * to.value + 1};
  }
  int pipe_port(const Op& op, int sm) const override { return pipes_ + gpu_of_(op.issuer).value * gpu_.sms + sm; }
  int pipes_;
  std::function<GpuId(PeId)> gpu_of_;
};

}  // namespace shmemu
