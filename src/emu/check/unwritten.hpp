// Bytes of fresh allocations that nobody has written yet. Whole pages of 4 KiB are ranges; a page that is written in
// part has a bit per byte until the last one is gone, so a heap in use costs nothing.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

namespace shmemu::emu::checks {

class Unwritten {
 public:
  bool empty() const { return ranges_.empty() && pages_.empty(); }
  void allocated(uint64_t address, uint64_t bytes);
  void written(uint64_t address, uint64_t bytes);
  // Whether some byte of the range was never written.
  bool any(uint64_t address, uint64_t bytes) const;

 private:
  static constexpr uint64_t kPage = 4096;
  using Bits = std::array<uint64_t, kPage / 64>;
  struct Page {
    Bits bits{};
    uint32_t left = 0;
  };
  static bool get(const Bits& bits, uint64_t i) { return bits[i / 64] >> (i % 64) & 1; }
  void set(uint64_t page, uint64_t begin, uint64_t end, bool value);
  bool in_range(uint64_t page) const;
  std::map<uint64_t, uint64_t> ranges_;  // pages without a written byte, first → behind the last
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace shmemu::emu::checks
