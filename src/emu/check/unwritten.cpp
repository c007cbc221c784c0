#include "emu/check/unwritten.hpp"

#include <algorithm>

namespace shmemu::emu::checks {

bool Unwritten::in_range(uint64_t page) const {
  auto at = ranges_.upper_bound(page);
  return at != ranges_.begin() && page < std::prev(at)->second;
}

// One page changes: from here on it has bits of its own.
void Unwritten::set(uint64_t page, uint64_t begin, uint64_t end, bool value) {
  auto at = pages_.find(page);
  if (at == pages_.end()) {
    auto range = ranges_.upper_bound(page);
    bool fresh = range != ranges_.begin() && page < std::prev(range)->second;
    if (fresh == value) return;
    if (fresh) {
      --range;
      uint64_t last = range->second;
      if (range->first == page)
        ranges_.erase(range);
      else
        range->second = page;
      if (page + 1 < last) ranges_[page + 1] = last;
      if (begin == 0 && end == kPage) return;
    }
    auto own = std::make_unique<Page>();
    if (fresh) own->bits.fill(~0ull), own->left = kPage;
    at = pages_.emplace(page, std::move(own)).first;
  }
  Page& p = *at->second;
  for (uint64_t i = begin; i < end;) {
    uint64_t upto = std::min(end, (i / 64 + 1) * 64);
    uint64_t mask = (upto - i == 64 ? ~0ull : ((1ull << (upto - i)) - 1)) << (i % 64);
    uint64_t& word = p.bits[i / 64];
    p.left -= static_cast<uint32_t>(__builtin_popcountll(word & mask));
    word = value ? word | mask : word & ~mask;
    p.left += static_cast<uint32_t>(__builtin_popcountll(word & mask));
    i = upto;
  }
  if (!p.left) pages_.erase(at);
}

void Unwritten::allocated(uint64_t address, uint64_t bytes) {
  written(address, bytes);  // what an earlier allocation left
  uint64_t end = address + bytes, first = (address + kPage - 1) / kPage, last = end / kPage;
  if (first > last || address / kPage == last) {
    if (bytes) set(address / kPage, address % kPage, address % kPage + bytes, true);
    return;
  }
  if (address % kPage) set(address / kPage, address % kPage, kPage, true);
  if (first < last) ranges_[first] = last;
  if (end % kPage) set(last, 0, end % kPage, true);
}

void Unwritten::written(uint64_t address, uint64_t bytes) {
  while (bytes) {
    uint64_t begin = address % kPage, end = std::min(kPage, begin + bytes), page = address / kPage;
    if (begin == 0 && bytes >= kPage && !in_range(page) && !pages_.count(page)) {
      // nothing here: go on where something may be
      uint64_t whole = bytes / kPage;
      auto range = ranges_.upper_bound(page);
      uint64_t skip = range == ranges_.end() ? whole : std::min(whole, range->first - page);
      if (!pages_.empty()) skip = 1;
      address += skip * kPage, bytes -= skip * kPage;
      continue;
    }
    set(page, begin, end, false);
    address += end - begin;
    bytes -= end - begin;
  }
}

bool Unwritten::any(uint64_t address, uint64_t bytes) const {
  while (bytes) {
    uint64_t begin = address % kPage, end = std::min(kPage, begin + bytes), page = address / kPage;
    if (auto at = pages_.find(page); at != pages_.end()) {
      for (uint64_t i = begin; i < end; ++i)
        if (get(at->second->bits, i)) return true;
    } else if (in_range(page)) {
      return true;
    }
    address += end - begin;
    bytes -= end - begin;
  }
  return false;
}

}  // namespace shmemu::emu::checks
