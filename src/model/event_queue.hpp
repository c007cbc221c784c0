// The clock of a World: actions ordered by (time, rank, order of submission).
// Everything that must happen in time order goes through here: deliveries, observations, resumptions. `at` refuses
// the past, so no event can be applied after an observer with a later clock. One owner (the World), one thread.
#pragma once
#include <cstdint>
#include <vector>

#include "base/function.hpp"
#include "base/time.hpp"

namespace shmemu {

// At equal times memory changes come before those who look at memory.
enum class Rank : uint8_t { memory = 0, agent = 1 };

class EventQueue {
 public:
  void at(Time when, Rank rank, Action action);
  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  Time next_time() const { return heap_.empty() ? Time::max() : heap_.front().when; }
  Time now() const { return now_; }
  // Removes the first action, moves the clock to its time and runs it.
  void run_next();
  uint64_t processed() const { return processed_; }

 private:
  struct Entry {
    Time when;
    uint64_t order;  // rank in the top bit, then submission number
    uint32_t slot;
  };
  static bool before(const Entry& a, const Entry& b) { return a.when != b.when ? a.when < b.when : a.order < b.order; }
  std::vector<Entry> heap_;  // each before its four children: half as many levels as a binary heap, in one line each
  std::vector<Action> slots_;
  std::vector<uint32_t> free_;
  Time now_;
  uint64_t submitted_ = 0, processed_ = 0;
};

}  // namespace shmemu
