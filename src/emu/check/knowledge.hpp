// What a thread knows: which events have happened (`executed`), and which remote operations are complete, meaning that
// their effect is where it belongs (`delivered`). The second follows only from what NVSHMEM promises: quiet and barrier
// complete everything the PE has issued before; a fence orders later operations after earlier ones to the same PE; the
// payload of a put with signal comes before its own signal (NVSHMEM 3.3.9 and OpenSHMEM 1.5, memory ordering).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "emu/check/clock.hpp"

namespace shmemu::emu::checks {

// Numbers of single operations, as disjoint ranges: those of one sender that arrive in order are one range. The sender
// is the upper part of a number. Of more than kMost ranges, the oldest two of a sender become one: what lies between is
// then taken as arrived, which can hide a mistake but invents none.
class Tickets {
 public:
  static constexpr int kCountBits = 40;
  static constexpr size_t kMost = 64;
  void add(uint64_t ticket);
  void join(const Tickets& other);
  bool contains(uint64_t ticket) const;
  size_t ranges() const { return ranges_ ? ranges_->size() : 0; }

 private:
  using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;  // first and last, ascending
  static void insert(Ranges& into, uint64_t first, uint64_t last);
  std::shared_ptr<const Ranges> ranges_;
};

struct Delivered {
  Clock all;                // operations issued in these events have arrived, wherever they went
  std::map<int, Clock> to;  // … if they went to this PE
  Tickets tickets;          // single ones
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
