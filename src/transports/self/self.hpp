// Operations of a PE on its own heap: ordinary loads and stores to local memory.
#pragma once
#include "transports/load_store.hpp"

namespace shmemu {

class SelfTransport : public LoadStore {
 public:
  SelfTransport(EventQueue& queue, const GpuModel& gpu)
      : LoadStore(queue, gpu, {gpu.flight_local, gpu.ack_local, gpu.fetch_local, gpu.l2_load, gpu.hbm, gpu.hbm}) {}
  Caps caps() const override { return {.load_store = true, .native_atomics = true, .source_read_at_call = true}; }

 private:
  Time occupy(const Op&, uint64_t bytes, Rate rate) override { return queue_.now() + rate.time_for(bytes); }
};

}  // namespace shmemu
