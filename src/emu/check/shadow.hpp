// Which accesses each byte of the symmetric heaps has seen last. Neighbouring bytes with the same accesses are one run;
// runs are kept per page of 4 KiB. Of a byte only the accesses are kept that are not known to be over for everybody
// who came later: reads since the last write, and writes that nothing orders.
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emu/check/access.hpp"
#include "emu/check/unwritten.hpp"

namespace shmemu::emu::checks {

struct Run {
  static constexpr int kMost = 4;  // accesses; the oldest goes when there are more
  uint16_t begin = 0, end = 0;     // in the page
  uint8_t count = 0;
  std::array<uint32_t, kMost> accesses{};
  bool same_accesses(const Run& o) const { return count == o.count && accesses == o.accesses; }
};

class Shadow {
 public:
  explicit Shadow(Accesses& accesses) : accesses_(accesses) {}
  // Adds access `number` to [address, address + bytes). `forget(earlier, begin, end)` is asked about each earlier
  // access of the bytes [begin, end) and says whether it need not be kept.
  template <class F>
  void add(uint64_t address, uint64_t bytes, uint32_t number, F forget) {
    if (!unwritten_.empty() && accesses_[number].writes()) unwritten_.written(address, bytes);
    for_runs(address, bytes, [&](Run& run, uint64_t at) {
      int kept = 0;
      for (int i = 0; i < run.count; ++i) {
        uint32_t old = run.accesses[static_cast<size_t>(i)];
        if (old != number && !forget(accesses_[old], at, at + run.end - run.begin))
          run.accesses[static_cast<size_t>(kept++)] = old;
        else
          accesses_.release(old);
      }
      if (kept == Run::kMost) {
        accesses_.release(run.accesses[0]);
        for (int i = 1; i < kept; ++i) run.accesses[static_cast<size_t>(i) - 1] = run.accesses[static_cast<size_t>(i)];
        --kept;
      }
      run.accesses[static_cast<size_t>(kept++)] = number;
      accesses_.refer(number);
      for (int i = kept; i < Run::kMost; ++i) run.accesses[static_cast<size_t>(i)] = 0;
      run.count = static_cast<uint8_t>(kept);
    });
  }
  template <class F>
  void look(uint64_t address, uint64_t bytes, F f) {
    for (uint64_t page = address / kPage; page <= (address + bytes - 1) / kPage; ++page) {
      auto at = pages_.find(page);
      if (at == pages_.end()) continue;
      uint64_t from = page * kPage, begin = address > from ? address - from : 0, end = address + bytes - from;
      for (const Run& run : at->second)
        if (run.begin < end && run.end > begin)
          for (int i = 0; i < run.count; ++i)
            f(accesses_[run.accesses[static_cast<size_t>(i)]], from + std::max<uint64_t>(run.begin, begin),
              from + std::min<uint64_t>(run.end, end));
    }
  }
  void clear(uint64_t address, uint64_t bytes);
  // Bytes of fresh allocations that nothing has been added to as a write.
  Unwritten& unwritten() { return unwritten_; }

 private:
  static constexpr uint64_t kPage = 4096;
  using Page = std::vector<Run>;  // ascending, disjoint
  // Calls `f` with runs that cover exactly the range, new ones where there were none.
  template <class F>
  void for_runs(uint64_t address, uint64_t bytes, F f) {
    while (bytes) {
      uint64_t begin = address % kPage, end = std::min(kPage, begin + bytes);
      Page& page = pages_[address / kPage];
      auto [first, last] = cut(page, static_cast<uint16_t>(begin), static_cast<uint16_t>(end));
      for (size_t i = first; i < last; ++i) f(page[i], address - begin + page[i].begin);
      merge(page, first, last);
      address += end - begin;
      bytes -= end - begin;
    }
  }
  std::pair<size_t, size_t> cut(Page& page, uint16_t begin, uint16_t end);
  void split(Page& page, size_t at, uint16_t where);
  void merge(Page& page, size_t first, size_t last);
  Accesses& accesses_;
  std::unordered_map<uint64_t, Page> pages_;
  Unwritten unwritten_;
};

}  // namespace shmemu::emu::checks
