// How much memory a kernel goes through, however often: what L2 must hold for it. Threads that run from stop to stop
// tell one address each time; blocks that run at once only tell bytes, which are taken as different ones.
#pragma once
#include <cstdint>
#include <unordered_set>

namespace shmemu::device {

class Footprint {
 public:
  // `touched` as in shmemu_work; 0: no address is known. Beyond `limit` B nothing more is counted.
  void add(uint64_t limit, uint64_t bytes, uint64_t touched = 0);
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_ = 0;
  std::unordered_set<uint64_t> pages_;  // only asked whether a page is in it
};

}  // namespace shmemu::device
