// The adapters as DeepEP's kernels see them: queue pairs filled by GPU warps, sent only up to the last doorbell, served
// one message at a time in random order among those that have something to send; the receiving adapter takes what
// arrives in order. An event per message, so that a million messages cost about a second (src/transports/network, which
// shares links fairly, costs several). Constants are those of the platform's adapter. One owner, one thread.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "deepep/costs.hpp"
#include "deepep/links.hpp"
#include "deepep/setup.hpp"
#include "model/event_queue.hpp"
#include "model/fabric.hpp"

namespace shmemu::deepep {

class WireSink {
 public:
  virtual ~WireSink() = default;
  virtual void arrived(int from, int to, uint64_t tag) = 0;  // visible to a polling thread of `to`
};

class Wire {
 public:
  enum class Kind : uint8_t { write, atomic };
  struct Message {
    int32_t to = 0;
    uint32_t bytes = 0;
    uint64_t tag = 0;
    Kind kind = Kind::write;
    bool notify = false;      // the sink is told
    bool order_wait = false;  // visible only when the writes before it are acknowledged
    bool drain = false;       // the adapter sends nothing more until it is acknowledged
  };
  Wire(EventQueue& queue, const Platform& platform, const Setup& setup, const Costs& costs, int queues_per_rank,
       WireSink& sink);
  // Into queue pair `queue` of `rank`; `ring`: the doorbell, for this one and those before it.
  void post(int rank, int queue, const Message& message, bool ring);
  // Doorbell to the first byte at the other adapter, without queueing.
  Time flight(int from, int to, bool small = false) const;
  Time post_time() const { return post_; }

  struct Totals {
    uint64_t messages = 0, atomics = 0, doorbells = 0;
  };
  const Totals& totals() const { return totals_; }

 private:
  int adapter_of(int rank) const { return adapter_of_[static_cast<size_t>(rank)]; }
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Node {
    Message message;
    int32_t from;
    uint32_t next;
  };
  struct Queue {
    uint32_t head = kNone, tail = kNone;
    uint32_t queued = 0, rung = 0;  // messages; those the adapter may take
  };
  struct Adapter {
    std::vector<uint32_t> active;  // queue pairs with rung messages
    bool sending = false;
    Server out, in;
    std::unique_ptr<Random> random;
  };
  void pump(int adapter);
  Time service(const Message& m) const;
  Time through_spine(int from, int to, uint64_t queue, Time at, uint64_t bytes);
  EventQueue& events_;
  const NicModel& nic_;
  const Setup& setup_;
  Time post_, atomic_service_, order_wait_, switch_latency_;
  Rate rate_;
  Fabric fabric_;
  WireSink& sink_;
  int queues_per_rank_, per_node_;
  std::vector<int> adapter_of_;
  std::vector<Queue> queues_;
  std::vector<Node> nodes_;
  uint32_t free_ = kNone;
  std::vector<Adapter> adapters_;
  std::vector<std::vector<Server>> up_, down_;  // links of each leaf to the spine; adaptive: one, as fast as all
  Rate spine_rate_;
  Totals totals_;
};

}  // namespace shmemu::deepep
