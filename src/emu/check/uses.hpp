// What a program does with the bytes that a get has fetched. A get that races with a store has harmed nobody until the
// fetched bytes are used: programs fetch whole structs of which others change a field that nobody looks at.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emu/check/rules.hpp"

namespace shmemu::emu::checks {

class Uses {
 public:
  // The destination.
  Uses(uint64_t address, uint64_t bytes) : begin_(address), used_((bytes + kGrain - 1) / kGrain) {}

  struct Doubt {
    Verdict verdict;
    Access earlier, later;
    std::vector<std::pair<uint64_t, uint64_t>> fetched;  // ranges of the destination
  };
  bool any_used(uint64_t from, uint64_t to) const {
    for (uint64_t i = grain(from); i <= grain(to - 1); ++i)
      if (used_[i]) return true;
    return false;
  }
  // Kept until one of the bytes is used. One for each pair of places.
  void doubt(const Verdict& verdict, const Access& earlier, const Access& later, uint64_t from, uint64_t to) {
    Doubt& d = doubts_.try_emplace({earlier.site, later.site}, Doubt{verdict, earlier, later, {}}).first->second;
    d.earlier.uses.reset(), d.later.uses.reset();  // no circle
    if (!d.fetched.empty() && d.fetched.back().second == from)
      d.fetched.back().second = to;
    else
      d.fetched.emplace_back(from, to);
  }
  // The program reads [from, to) of the destination; `f` hears of the doubts that this confirms.
  template <class F>
  void used(uint64_t from, uint64_t to, F f) {
    for (uint64_t i = grain(from); i <= grain(to - 1); ++i) used_[i] = true;
    std::erase_if(doubts_, [&](auto& entry) {
      for (auto& [a, b] : entry.second.fetched)
        if (a < to && from < b) return f(entry.second), true;
      return false;
    });
  }

 private:
  static constexpr uint64_t kGrain = 4;
  uint64_t grain(uint64_t address) const { return (address - begin_) / kGrain; }
  uint64_t begin_;
  std::vector<bool> used_;
  std::map<std::pair<uint64_t, uint64_t>, Doubt> doubts_;  // by sites
};

}  // namespace shmemu::emu::checks
