#include "transports/adverse.hpp"

#include <algorithm>

namespace shmemu {

// No delay, one of the order of an operation, or one far above it, with equal chance.
Time AdverseDelivery::draw() {
  switch (random_.below(3)) {
    case 0: return {};
    case 1: return {static_cast<int64_t>(random_.below(2'000'000))};
    default: return {static_cast<int64_t>(random_.below(40'000'000))};
  }
}

void AdverseDelivery::post(Transfer& t, TransferSink& sink) {
  sinks_[&t] = &sink;
  inner_.post(t, *this);
}

void AdverseDelivery::delivered(Transfer& t) {
  Time when = queue_.now() + draw();
  if (when > queue_.now()) ++delays_;
  arrival_[&t] = when;
  queue_.at(when, Rank::memory, [this, transfer = &t] { sinks_.at(transfer)->delivered(*transfer); });
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
