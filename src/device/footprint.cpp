#include "device/footprint.hpp"

#include <algorithm>

namespace shmemu::device {
namespace {
constexpr uint64_t kPage = 4096;  // abi.h, shmemu_work::touched
}

void Footprint::add(uint64_t limit, uint64_t bytes, uint64_t touched) {
  if (!bytes || bytes_ > limit) return;
  if (!touched) {
    bytes_ += bytes;
  } else if (pages_.insert(touched / kPage).second) {
    bytes_ += std::max(bytes, kPage * (touched % kPage));
  }
  if (bytes_ > limit) pages_ = {};
}

}  // namespace shmemu::device
