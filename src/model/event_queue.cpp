#include "model/event_queue.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu {
namespace {
constexpr size_t kChildren = 4;
}

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
  Entry e{when, (static_cast<uint64_t>(rank) << 63) | submitted_++, slot};
  size_t hole = heap_.size();
  heap_.push_back(e);
  for (; hole > 0; hole = (hole - 1) / kChildren) {
    const Entry& parent = heap_[(hole - 1) / kChildren];
    if (!before(e, parent)) break;
    heap_[hole] = parent;
  }
  heap_[hole] = e;
}

void EventQueue::run_next() {
  Entry e = heap_.front();
  Entry last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) {
    size_t hole = 0, end = heap_.size();
    for (size_t child = 1; child < end; child = hole * kChildren + 1) {
      size_t first = child;
      for (size_t c = child + 1; c < std::min(child + kChildren, end); ++c)
        if (before(heap_[c], heap_[first])) first = c;
      if (!before(heap_[first], last)) break;
      heap_[hole] = heap_[first];
      hole = first;
    }
    heap_[hole] = last;
  }
  now_ = e.when;
  ++processed_;
  Action action = std::move(slots_[e.slot]);
  free_.push_back(e.slot);
  action();
}

}  // namespace shmemu
