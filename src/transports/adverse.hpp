// Delivery as late and in any order as the specification allows, drawn from a seed: wraps a transport and delays what
// it delivers. An operation never arrives after its own acknowledgement, so quiet and fence keep their promises.
// Used by `--delivery adverse`; counts how often it really changed an order.
#pragma once
#include <unordered_map>

#include "base/random.hpp"
#include "transports/transport.hpp"

namespace shmemu {

class AdverseDelivery : public Transport, private TransferSink {
 public:
  AdverseDelivery(EventQueue& queue, Transport& inner, Random& random)
      : queue_(queue), inner_(inner), random_(random) {}
  Caps caps() const override { return inner_.caps(); }
  Time fence_cost() const override { return inner_.fence_cost(); }
  Ordering order(PeId pe, OpKind kind) override { return inner_.order(pe, kind); }
  Time issue_time(const Transfer& t) const override { return inner_.issue_time(t); }
  void post(Transfer& transfer, TransferSink& sink) override;
  uint64_t delays() const { return delays_; }

 private:
  void issued(Transfer& t) override { sinks_.at(&t)->issued(t); }
  void source_read(Transfer& t) override;
  void delivered(Transfer& t) override;
  void returned(Transfer& t) override;
  Time draw();
  EventQueue& queue_;
  Transport& inner_;
  Random& random_;
  std::unordered_map<Transfer*, TransferSink*> sinks_;
  std::unordered_map<Transfer*, Time> arrival_;
  uint64_t delays_ = 0;
};

}  // namespace shmemu
