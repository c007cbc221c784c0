// What a thread knows: which events have happened (`executed`), and which remote operations are complete, meaning that
// their effect is where it belongs (`delivered`). The second follows only from what NVSHMEM promises: quiet and barrier
// complete everything the PE has issued before; a fence orders later operations after earlier ones to the same PE; the
// payload of a put with signal comes before its own signal (NVSHMEM 3.3.9 and OpenSHMEM 1.5, memory ordering).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "emu/check/clock.hpp"

namespace shmemu::emu::checks {

// Numbers of single operations, as disjoint ranges: those of one sender that arrive in order are one range.
class Tickets {
 public:
  void add(uint64_t ticket);
  void join(const Tickets& other);
  bool contains(uint64_t ticket) const;
  // Keeps the ranges for which `wanted(first, last)` holds.
  template <class F>
  void keep_if(F wanted) {
    if (!ranges_) return;
    auto kept = std::make_shared<Ranges>();
    for (auto& [first, last] : *ranges_)
      if (wanted(first, last)) kept->emplace(first, last);
    ranges_ = std::move(kept);
  }
  size_t ranges() const { return ranges_ ? ranges_->size() : 0; }

 private:
  using Ranges = std::map<uint64_t, uint64_t>;  // first → last
  static void insert(Ranges& into, uint64_t first, uint64_t last);
  std::shared_ptr<const Ranges> ranges_;
};

struct Delivered {
  Clock all;                  // operations issued in these events have arrived, wherever they went
  std::map<int, Clock> to;    // … if they went to this PE
  Tickets tickets;            // single ones
  bool covers(const Event& issue, PeId target, uint64_t ticket) const {
    if (all.contains(issue) || tickets.contains(ticket)) return true;
    auto at = to.find(target.value);
    return at != to.end() && at->second.contains(issue);
  }
  void join(const Delivered& other) {
    all.join(other.all);
    tickets.join(other.tickets);
    for (auto& [pe, clock] : other.to) to[pe].join(clock);
  }
};

struct Knowledge {
  Clock executed;
  Delivered delivered;
  void join(const Knowledge& other) {
    executed.join(other.executed);
    delivered.join(other.delivered);
  }
};

}  // namespace shmemu::emu::checks
