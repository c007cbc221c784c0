#include "emu/check/knowledge.hpp"

#include <algorithm>

namespace shmemu::emu::checks {

void Tickets::insert(Ranges& into, uint64_t first, uint64_t last) {
  // the first range that ends at `first` - 1 or later; all that touch [first, last] become one
  auto at =
      std::lower_bound(into.begin(), into.end(), first, [](auto& range, uint64_t f) { return range.second + 1 < f; });
  auto end = at;
  for (; end != into.end() && end->first <= last + 1; ++end) {
    first = std::min(first, end->first);
    last = std::max(last, end->second);
  }
  at = into.erase(at, end);
  into.insert(at, {first, last});
  if (into.size() <= kMost) return;
  auto pair = std::adjacent_find(into.begin(), into.end(),
                                 [](auto& a, auto& b) { return a.first >> kCountBits == b.first >> kCountBits; });
  if (pair == into.end()) return;
  pair->second = std::next(pair)->second;
  into.erase(std::next(pair));
}

void Tickets::add(uint64_t ticket) {
  if (contains(ticket)) return;
  auto own = ranges_ ? std::make_shared<Ranges>(*ranges_) : std::make_shared<Ranges>();
  insert(*own, ticket, ticket);
  ranges_ = std::move(own);
}

void Tickets::join(const Tickets& other) {
  if (!other.ranges_ || ranges_ == other.ranges_) return;
  if (!ranges_) {
    ranges_ = other.ranges_;
    return;
  }
  auto own = std::make_shared<Ranges>(*ranges_);
  for (auto& [first, last] : *other.ranges_) insert(*own, first, last);
  ranges_ = std::move(own);
}

bool Tickets::contains(uint64_t ticket) const {
  if (!ranges_ || !ticket) return false;
  auto at =
      std::lower_bound(ranges_->begin(), ranges_->end(), ticket, [](auto& r, uint64_t t) { return r.second < t; });
  return at != ranges_->end() && at->first <= ticket;
}

}  // namespace shmemu::emu::checks
