#include "emu/core/first_fit.hpp"

#include <algorithm>

namespace shmemu::emu {

std::optional<uint64_t> FirstFit::allocate(uint64_t bytes, uint64_t alignment) {
  bytes = std::max(rounded(bytes), kAlignment);
  alignment = std::max(alignment, kAlignment);
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    auto [offset, size] = *at;
    uint64_t start = (offset + alignment - 1) / alignment * alignment;
    if (start + bytes > offset + size) continue;
    free_.erase(at);
    if (start > offset) free_[offset] = start - offset;
    if (start + bytes < offset + size) free_[start + bytes] = offset + size - start - bytes;
    used_ += bytes;
    return start;
  }
  return std::nullopt;
}

void FirstFit::release(uint64_t offset, uint64_t bytes) {
  bytes = std::max(rounded(bytes), kAlignment);
  used_ -= bytes;
  auto [at, fresh] = free_.emplace(offset, bytes);
  if (auto next = std::next(at); next != free_.end() && offset + bytes == next->first) {
    at->second += next->second;
    free_.erase(next);
  }
  if (at != free_.begin())
    if (auto before = std::prev(at); before->first + before->second == offset) {
      before->second += at->second;
      free_.erase(at);
    }
}

}  // namespace shmemu::emu
