// What a block's loads find in L1: the ranges it has loaded since its last gpu- or system-scope fence, which empties
// L1. A loop over more than L1 reaches finds only a part again: with random replacement the share m of misses of a
// cyclic scan over n bytes solves m = 1 - exp(-m n / reach). A value of the block.
#pragma once
#include <cstdint>
#include <map>

namespace shmemu::device {

class L1 {
 public:
  // Loads [address, address + bytes); returns the share that misses.
  double load(uint64_t address, uint64_t bytes, uint64_t reach);
  void clear() { ranges_.clear(), total_ = 0; }

 private:
  std::map<uint64_t, uint64_t> ranges_;  // start → end, disjoint
  uint64_t total_ = 0;
};

// The share of misses of a cyclic scan over n bytes.
double cyclic_miss_share(uint64_t n, uint64_t reach);

}  // namespace shmemu::device
