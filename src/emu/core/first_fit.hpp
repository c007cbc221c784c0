// First-fit allocator over a range of offsets, 512 B alignment, neighbours merged on free. Equal call sequences give
// equal offsets; nothing else makes a heap symmetric. Knows no addresses and no memory. (facts: NVSHMEM 3.3.9 allocator)
#pragma once
#include <cstdint>
#include <map>
#include <optional>

namespace shmemu::emu {

class FirstFit {
 public:
  static constexpr uint64_t kAlignment = 512;
  explicit FirstFit(uint64_t capacity) : capacity_(capacity) { free_[0] = capacity; }
  std::optional<uint64_t> allocate(uint64_t bytes, uint64_t alignment = kAlignment);
  void release(uint64_t offset, uint64_t bytes);
  uint64_t used() const { return used_; }
  uint64_t capacity() const { return capacity_; }
  static uint64_t rounded(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

 private:
  std::map<uint64_t, uint64_t> free_;  // offset → bytes
  uint64_t capacity_, used_ = 0;
};

}  // namespace shmemu::emu
