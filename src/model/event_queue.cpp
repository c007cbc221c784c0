#include "model/event_queue.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu {

void EventQueue::at(Time when, Rank rank, Action action) {
  SHMEMU_ASSERT(when >= now_, fmt::format("event at {} ps, clock at {} ps", when.ps, now_.ps));
  uint32_t slot;
  if (free_.empty()) {
    slot = static_cast<uint32_t>(slots_.size());
    slots_.push_back(std::move(action));
  } else {
    slot = free_.back();
    free_.pop_back();
    slots_[slot] = std::move(action);
  }
  heap_.push_back({when, (static_cast<uint64_t>(rank) << 63) | submitted_++, slot});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void EventQueue::run_next() {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  Entry e = heap_.back();
  heap_.pop_back();
  now_ = e.when;
  ++processed_;
  Action action = std::move(slots_[e.slot]);
  free_.push_back(e.slot);
  action();
}

}  // namespace shmemu
