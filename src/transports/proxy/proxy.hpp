// Requests go through a ring in host memory to a CPU thread of the PE, which posts them to the adapter in order
// (NVSHMEM's proxy with IBRC). The GPU thread goes on when its request is in the ring; quiet, blocking puts and gets
// wait for an answer. One queue pair per target. Also carries what hosts ask for themselves, without the ring. Formulas
// and sources: docs/design/transports.md.
#pragma once
#include <functional>
#include <unordered_map>

#include "transports/network.hpp"
#include "transports/settings.hpp"
#include "transports/transport.hpp"

namespace shmemu {

class Proxy : public Transport {
 public:
  Proxy(EventQueue& queue, const Platform& platform, Network& network, NvshmemSettings::Remote remote,
        std::function<GpuId(PeId)> gpu_of);
  Caps caps() const override { return {}; }
  Time issue_time(const Transfer& transfer) const override;
  void post(Transfer& transfer, TransferSink& sink) override;
  // With ordered queue pairs a fence asks nothing of the CPU, but the ring's entries must have left the GPU; quiet
  // makes the round to the CPU.
  Ordering order(PeId pe, OpKind kind) override;

 private:
  uint32_t requests_of(const Transfer& t) const;
  // The CPU of `pe` handles `requests` that are in the ring now; returns when the last one is posted.
  Time handle(PeId pe, uint32_t requests, Time pick_up);
  void ring(Transfer& t, TransferSink& sink);
  EventQueue& queue_;
  const HostModel& host_;
  const GpuModel& gpu_;
  const NicModel& nic_;
  Network& network_;
  bool ordered_;
  std::function<GpuId(PeId)> gpu_of_;
  Network::Queue& queue_between(PeId from, PeId to) {
    return queues_[static_cast<uint64_t>(from.value) << 32 | static_cast<uint32_t>(to.value)];
  }
  // all of them are looked up only
  std::unordered_map<int, Time> cpu_until_;
  std::unordered_map<int, Time> ring_written_;  // last
  std::unordered_map<uint64_t, Network::Queue> queues_;
};

}  // namespace shmemu
