// The threads of a block that make a call together: one, a warp, a warpgroup (128 threads), the block. The last group
// of a block may have fewer threads than its name says.
#pragma once
#include <algorithm>
#include <cstdint>

#include "emu/core/current.hpp"
#include "shmemu/abi.h"

namespace shmemu::emu {

struct ThreadGroup {
  static constexpr uint32_t kWarp = 32, kWarpgroup = 128;
  explicit ThreadGroup(int s) : scope(s) {
    const device::Lane& lane = *g_current.lane;
    auto threads = static_cast<uint32_t>(lane.warp->cta->threads.size());
    uint32_t most = s == SHMEMU_THREAD ? 1 : s == SHMEMU_WARP ? kWarp : s == SHMEMU_WARPGROUP ? kWarpgroup : threads;
    first = lane.thread / most * most;
    index = lane.thread - first;
    size = std::min(most, threads - first);
  }
  // Whether this thread is one of those that issue the transfers of the group.
  bool moves() const { return scope != SHMEMU_WARPGROUP || index < kWarp; }
  void sync() const {
    if (scope == SHMEMU_WARP) __shmemu_syncwarp(g_current.lane->warp->live);
    if (scope == SHMEMU_BLOCK) __shmemu_bar_sync(0, 0);
    // warpgroups use the named barriers from 15 down; a block has at most 8 of them
    if (scope == SHMEMU_WARPGROUP) {
      bool alone = g_current.lane->warp->cta->threads.size() <= kWarpgroup;
      __shmemu_bar_sync(15 - static_cast<int>(first / kWarpgroup),
                        alone ? 0 : static_cast<int>((size + kWarp - 1) / kWarp * kWarp));
    }
  }
  int scope;
  uint32_t first = 0, index = 0, size = 1;
};

}  // namespace shmemu::emu
