// Copy loops of loads and stores by GPU threads: the mechanism shared by `self` (own memory) and `p2p` (a peer's memory
// over NVLink). Formulas and the measurements behind them: docs/design/transports.md. Links are shared fairly, the
// store pipe of an SM serves warp instructions in order.
#pragma once
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "model/event_queue.hpp"
#include "model/fair_links.hpp"
#include "model/gpu_model.hpp"
#include "transports/transport.hpp"

namespace shmemu {

// What one transfer looks like to the SM: which threads copy, how wide, over how many lines.
struct CopyLoop {
  uint32_t threads = 1;  // that copy together
  uint64_t bytes = 0;    // they move together
  bool strided = false;  // each lane has a contiguous piece of its own
  double miss = 1;       // share of the loads that miss L1
  uint32_t lines = 1;    // strided: distinct 128 B lines that one warp instruction touches
  uint32_t width = 16;   // B that a thread moves per trip: what the alignment of both addresses allows
};

// Widest access of {16, 8, 4, 2, 1} B that both addresses of the copy allow, as NVSHMEM 3.4.5 chooses; of a strided
// copy one element. What is packed with flags has a buffer of its own that is aligned.
uint32_t access_width(const Op& op);

// Time of one trip of the loop {load `width` bytes, store them} by `threads` threads whose loads take `extra` more than
// an L1 hit.
Time copy_trip(const GpuModel& gpu, uint32_t threads, uint32_t width, Time extra);
// Time until the store pipe has taken the last store, without the call itself.
Time copy_loop(const GpuModel& gpu, const CopyLoop& loop, Time load);
// Time until the loads of the first trip have answered and stores leave.
Time first_load(const GpuModel& gpu, const CopyLoop& loop, Time load);
// Stores are posted: the threads go on this much before the pipe has taken their last trip.
Time posted_ahead(const GpuModel& gpu, const CopyLoop& loop, Time load);

class LoadStore : public Transport {
 public:
  struct Costs {
    Time flight, acknowledge, fetch, load;
    Rate store_rate, load_rate;
  };
  LoadStore(EventQueue& queue, const GpuModel& gpu, FairLinks& links, Costs costs)
      : queue_(queue), gpu_(gpu), links_(links), costs_(costs) {}
  Time issue_time(const Transfer& transfer) const override;
  void post(Transfer& transfer, TransferSink& sink) override;
  Time fence_cost() const override { return gpu_.fence_system; }

 protected:
  // Port numbers of `links` that the bytes leave and enter; loads travel from the target to the issuer.
  virtual std::pair<int, int> ports(const Op& op, bool load) const = 0;
  // Port of the store pipe of an SM of the issuer's GPU.
  virtual int pipe_port(const Op& op, int sm) const = 0;
  EventQueue& queue_;
  const GpuModel& gpu_;

 private:
  Time call_time(const Transfer& transfer) const;
  Time loop_time(const Transfer& transfer) const;
  Time ahead(const Transfer& transfer) const;
  Time until_first_store(const Transfer& transfer) const;
  Time pipe_time(const Transfer& transfer) const;  // that its stores keep the store pipe of the SM
  // When the ports have carried a packet or few, first come first served among themselves.
  Time carry_small(const std::pair<int, int>& ports, Time from, uint64_t bytes, uint32_t packets, Rate rate);
  // When the store pipe of the SM has served something that needs it for so long.
  Time take(const Transfer& transfer, Time from, Time needed);
  Time after_same_word(const Transfer& transfer);
  void post_scalar(Transfer& transfer, TransferSink& sink);
  void post_load(Transfer& transfer, TransferSink& sink);
  void post_copy(Transfer& transfer, TransferSink& sink);
  bool crowded(const std::pair<int, int>& ports) const;
  FairLinks::Request over_link(const Transfer& transfer, uint64_t bytes, Time alone) const;
  struct Copy;
  void stream_copy(Transfer& transfer, TransferSink& sink);
  void passed(const std::shared_ptr<Copy>& copy);
  void deliver(Transfer& transfer, TransferSink& sink, Time issued, Time carried);
  void arrive(Transfer& transfer, TransferSink& sink, Time carried);
  FairLinks& links_;
  Costs costs_;
  std::map<int, Time> small_until_;                 // by port
  std::unordered_map<uint64_t, Time> word_until_;   // by address of an atomic; looked up only
  std::map<std::pair<int, int>, Time> pipe_until_;  // by issuing PE and SM
};

}  // namespace shmemu
