// A kernel launch and the place where its blocks run: SMs with slots. Blocks that do not fit wait; grids are served in
// the order in which they became ready, as the hardware's block scheduler does.
#pragma once
#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/actor.hpp"
#include "device/footprint.hpp"
#include "device/launch.hpp"
#include "model/gpu_model.hpp"

namespace shmemu::device {

struct Grid {
  Launch launch;
  PeId pe;
  GpuId gpu;
  uint32_t number = 0;  // launches of this PE so far
  int stream = 0;
  std::shared_ptr<KernelProgram> program;
  uint64_t next_block = 0, finished_blocks = 0;
  std::vector<std::unique_ptr<Cta>> live;
  int in_flight = 0, stores_in_flight = 0;  // transfers of its blocks, those over load/store paths
  bool ended = false;
  Footprint footprint;
  Barrier grid_barrier;
  Time started;
  std::function<void()> on_end;
  uint64_t blocks() const { return launch.grid.count(); }
  uint32_t threads() const { return static_cast<uint32_t>(launch.block.count()); }
};

class Gpu {
 public:
  explicit Gpu(const GpuModel& model);
  // An SM with room for a block of this grid, or -1. The emptiest one first.
  int find_room(const Grid& grid) const;
  void occupy(int sm, const Grid& grid, int sign);
  Compute::Sharers sharers(int sm) const {
    return {std::max(1, sms_[static_cast<size_t>(sm)].threads / 32), std::max(1, threads_ / 32)};
  }
  // Blocks of this shape that can be resident at once on the whole GPU.
  static int resident_limit(const GpuModel& model, uint32_t threads, uint64_t shared_bytes);
  static int blocks_per_sm(const GpuModel& model, uint32_t threads, uint64_t shared_bytes);
  std::deque<Grid*> waiting;  // grids with blocks that are not yet resident
  Compute compute;
  uint64_t footprint_before = 0;  // of the last grid that had one
  // L2 serves a grid that goes through no more than it holds, if the one before did not replace its contents.
  bool beyond_l2(const Grid& grid) const { return std::max(grid.footprint.bytes(), footprint_before) > model_.l2; }

 private:
  struct Sm {
    int ctas = 0, threads = 0;
    uint64_t shared = 0;
  };
  const GpuModel& model_;
  std::vector<Sm> sms_;
  int threads_ = 0;  // resident
};

}  // namespace shmemu::device
