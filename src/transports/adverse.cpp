#include "transports/adverse.hpp"

#include <algorithm>

namespace shmemu {

// No delay, one of the order of an operation, or one far above it, with equal chance.
Time AdverseDelivery::draw() {
  switch (random_.below(3)) {
    case 0:
      return {};
    case 1:
      return {static_cast<int64_t>(random_.below(2'000'000))};
    default:
      return {static_cast<int64_t>(random_.below(40'000'000))};
  }
}

void AdverseDelivery::post(Transfer& t, TransferSink& sink) {
  sinks_[&t] = &sink;
  inner_.post(t, *this);
}

// The source of an nbi call belongs to the library until quiet: it is read as late as that allows, at delivery.
void AdverseDelivery::source_read(Transfer& t) {
  if (!t.op().nbi) sinks_.at(&t)->source_read(t);
}

void AdverseDelivery::delivered(Transfer& t) {
  Time when = queue_.now() + draw();
  if (when > queue_.now()) ++delays_;
  arrival_[&t] = when;
  queue_.at(when, Rank::memory, [this, transfer = &t] {
    TransferSink* sink = sinks_.at(transfer);
    if (transfer->op().nbi && !inner_.caps().source_read_at_call) sink->source_read(*transfer);
    sink->delivered(*transfer);
  });
}

void AdverseDelivery::returned(Transfer& t) {
  queue_.at(std::max(queue_.now(), arrival_.at(&t)), Rank::agent, [this, transfer = &t] {
    TransferSink* sink = sinks_.at(transfer);
    sinks_.erase(transfer);
    arrival_.erase(transfer);
    sink->returned(*transfer);
  });
}

}  // namespace shmemu
