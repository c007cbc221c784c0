#include "emu/check/knowledge.hpp"

#include <algorithm>

namespace shmemu::emu::checks {

void Tickets::insert(Ranges& into, uint64_t first, uint64_t last) {
  auto at = into.upper_bound(first);
  if (at != into.begin() && std::prev(at)->second + 1 >= first) {
    --at;
    first = at->first;
    last = std::max(last, at->second);
    at = into.erase(at);
  }
  while (at != into.end() && at->first <= last + 1) {
    last = std::max(last, at->second);
    at = into.erase(at);
  }
  into.emplace(first, last);
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
  auto at = ranges_->upper_bound(ticket);
  return at != ranges_->begin() && std::prev(at)->second >= ticket;
}

}  // namespace shmemu::emu::checks
