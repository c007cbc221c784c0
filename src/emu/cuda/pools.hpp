// Memory pools of stream-ordered allocation. An allocation is there from the call on; a free happens in stream order.
#pragma once
#include <cstdint>

#include "base/ids.hpp"

namespace shmemu::emu {

struct MemoryPool {
  GpuId gpu;
  int device = 0;
  bool is_default = false;
  uint64_t used = 0, used_high = 0;          // bytes handed out
  uint64_t reserved = 0, reserved_high = 0;  // bytes the pool would hold, in steps of 32 MiB
  uint64_t release_threshold = 0;
  int reuse[3] = {1, 1, 1};
};

}  // namespace shmemu::emu
