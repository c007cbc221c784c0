// Operations of a PE on its own heap: ordinary loads and stores to local memory. All blocks of a GPU share its memory.
#pragma once
#include <functional>

#include "base/ids.hpp"
#include "transports/load_store.hpp"

namespace shmemu {

class SelfTransport : public LoadStore {
 public:
  // `first_port`: of one port per GPU in `links`; `pipes`: of one per SM of every GPU.
  SelfTransport(EventQueue& queue, const GpuModel& gpu, FairLinks& links, int first_port, int pipes,
                std::function<GpuId(PeId)> gpu_of)
      : LoadStore(queue, gpu, links,
                  {gpu.flight_local, gpu.ack_local, gpu.fetch_local, gpu.l2_load, gpu.local_copy, gpu.local_copy}),
        first_port_(first_port),
        pipes_(pipes),
        gpu_of_(std::move(gpu_of)) {}
  Caps caps() const override { return {.load_store = true, .native_atomics = true, .source_read_at_call = true}; }

 private:
  std::pair<int, int> ports(const Op& op, bool) const override {
    int port = first_port_ + gpu_of_(op.issuer).value;
    return {port, port};
  }
  int pipe_port(const Op& op, int sm) const override { return pipes_ + gpu_of_(op.issuer).value * gpu_.sms + sm; }
  int first_port_, pipes_;
  std::function<GpuId(PeId)> gpu_of_;
};

}  // namespace shmemu
