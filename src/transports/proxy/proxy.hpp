// Requests go through a ring in host memory to a CPU thread of the PE, which posts them to the adapter in order
// (NVSHMEM's proxy with IBRC). The GPU thread goes on when its request is in the ring; quiet, blocking puts and gets
// wait for an answer. One queue pair per target. Also carries what hosts ask for themselves, without the ring. Formulas
// and sources: docs/design/transports.md.
#pragma once
#include <functional>
#include <map>
#include <utility>

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
  // With ordered queue pairs a fence is one more request and waits for nothing; quiet makes the round to the CPU.
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
  std::map<PeId, Time> cpu_until_;
  std::map<std::pair<PeId, PeId>, Network::Queue> queues_;
};

}  // namespace shmemu
