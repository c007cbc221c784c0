#include "emu/check/shadow.hpp"

#include <algorithm>

namespace shmemu::emu::checks {

uint32_t Accesses::add(Access access) {
  if (free_.empty()) {
    all_.push_back(std::move(access));
    return static_cast<uint32_t>(all_.size() - 1);
  }
  uint32_t i = free_.back();
  free_.pop_back();
  all_[i] = std::move(access);
  return i;
}

void Accesses::release(uint32_t i) {
  if (--all_[i].references) return;
  free_.push_back(i);
}

void Shadow::split(Page& page, size_t at, uint16_t where) {
  Run second = page[at];
  for (int i = 0; i < second.count; ++i) accesses_.refer(second.accesses[static_cast<size_t>(i)]);
  page[at].end = second.begin = where;
  page.insert(page.begin() + static_cast<ptrdiff_t>(at) + 1, second);
}

std::pair<size_t, size_t> Shadow::cut(Page& page, uint16_t begin, uint16_t end) {
  auto lower = std::lower_bound(page.begin(), page.end(), begin, [](const Run& r, uint16_t b) { return r.end <= b; });
  auto first = static_cast<size_t>(lower - page.begin());
  if (first < page.size() && page[first].begin < begin) split(page, first++, begin);
  size_t i = first;
  for (uint16_t at = begin; at < end; at = page[i++].end) {
    if (i == page.size() || page[i].begin > at) {
      uint16_t upto = i == page.size() ? end : std::min(end, page[i].begin);
      page.insert(page.begin() + static_cast<ptrdiff_t>(i), Run{at, upto, 0, {}});
    } else if (page[i].end > end) {
      split(page, i, end);
    }
  }
  return {first, i};
}

// Joins equal neighbours in [first - 1, last + 1).
void Shadow::merge(Page& page, size_t first, size_t last) {
  size_t from = first ? first - 1 : 0, upto = std::min(page.size(), last + 1);
  size_t to = from;
  for (size_t i = from + 1; i < upto; ++i) {
    if (page[to].end == page[i].begin && page[to].same_accesses(page[i])) {
      page[to].end = page[i].end;
      for (int k = 0; k < page[i].count; ++k) accesses_.release(page[i].accesses[static_cast<size_t>(k)]);
    } else {
      page[++to] = page[i];
    }
  }
  page.erase(page.begin() + static_cast<ptrdiff_t>(to) + 1, page.begin() + static_cast<ptrdiff_t>(upto));
}

void Shadow::clear(uint64_t address, uint64_t bytes) {
  while (bytes) {
    uint64_t begin = address % kPage, end = std::min(kPage, begin + bytes);
    if (auto at = pages_.find(address / kPage); at != pages_.end()) {
      auto [first, last] = cut(at->second, static_cast<uint16_t>(begin), static_cast<uint16_t>(end));
      for (size_t i = first; i < last; ++i)
        for (int k = 0; k < at->second[i].count; ++k) accesses_.release(at->second[i].accesses[static_cast<size_t>(k)]);
      at->second.erase(at->second.begin() + static_cast<ptrdiff_t>(first),
                       at->second.begin() + static_cast<ptrdiff_t>(last));
      if (at->second.empty()) pages_.erase(at);
    }
    address += end - begin;
    bytes -= end - begin;
  }
}

}  // namespace shmemu::emu::checks
