// GPU threads build and ring work requests themselves (NVSHMEM's IBGDA transport, reliable connections). A poster
// reserves, builds, waits until those before it on the queue pair have handed off, and rings; nbi calls return then,
// blocking ones when the completion has been polled. The values of a full warp that lie side by side become one inline
// request. Formulas and sources: docs/design/transports.md.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "transports/network.hpp"
#include "transports/settings.hpp"
#include "transports/transport.hpp"

namespace shmemu {

class Ibgda : public Transport {
 public:
  Ibgda(EventQueue& queue, const Platform& platform, Network& network, const NvshmemSettings& settings, int pes,
        std::function<GpuId(PeId)> gpu_of);
  Caps caps() const override { return {}; }
  Time issue_time(const Transfer& transfer) const override;
  void post(Transfer& transfer, TransferSink& sink) override;
  // fence and quiet look at every queue pair of the PE, one after the other.
  Ordering order(PeId pe, OpKind) override;
  // … or at one that the program names.
  Ordering order_of_queue() const;

 private:
  struct Queue {
    Network::Queue wire;
    Time handed_off;
    uint32_t blocks = 0;                                      // of its ring, in use
    std::deque<std::pair<Transfer*, TransferSink*>> waiting;  // for room in the ring
  };
  struct Post {  // how a transfer becomes requests
    bool merged = false;
    uint32_t requests = 1, blocks = 1;
    Time call, build;
  };
  Post plan(const Transfer& t) const;
  Queue& queue_of(const Transfer& t);
  void begin(Queue& queue, Transfer& t, TransferSink& sink);
  void ring(Queue& queue, Transfer& t, TransferSink& sink);
  void release(Queue& queue, uint32_t blocks);
  EventQueue& queue_;
  const GpuModel& gpu_;
  const NicModel& nic_;
  Network& network_;
  NvshmemSettings settings_;
  int pes_;
  std::function<GpuId(PeId)> gpu_of_;
  std::map<std::tuple<PeId, PeId, uint32_t>, Queue> queues_;  // issuer, target, number
  std::map<std::pair<PeId, int>, Time> sm_until_;             // merged posts of an SM
};

}  // namespace shmemu
