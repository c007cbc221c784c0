#include "device/l1.hpp"

#include <algorithm>
#include <cmath>

namespace shmemu::device {

double cyclic_miss_share(uint64_t n, uint64_t reach) {
  if (n <= reach) return 0;
  double ratio = static_cast<double>(n) / static_cast<double>(reach), m = 1;
  for (int i = 0; i < 100; ++i) m = 1 - std::exp(-m * ratio);
  return m;
}

double L1::load(uint64_t address, uint64_t bytes, uint64_t reach) {
  if (!bytes) return 0;
  uint64_t begin = address, end = address + bytes, known = 0;
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second > begin) --at;
  while (at != ranges_.end() && at->first < address + bytes) {  // overlapping ranges become one
    known += std::min(address + bytes, at->second) - std::max(address, at->first);
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    total_ -= at->second - at->first;
    at = ranges_.erase(at);
  }
  ranges_[begin] = end;
  total_ += end - begin;
  double share = static_cast<double>(known) / static_cast<double>(bytes);
  return 1 - share * (1 - cyclic_miss_share(total_, reach));
}

}  // namespace shmemu::device
