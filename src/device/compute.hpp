// Computing of GPU threads in time: counted work becomes cycles of the thread's own chain and a share of what all
// threads use: the issue slots of their SM, its way to L2, and the memory of the GPU.
//
// A warp's phase lasts as long as its slowest lane's chain, and not less than its share of what the others leave.
// Servers are work-conserving; with n phases under way none takes longer than n times what it needs alone.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "base/time.hpp"
#include "model/gpu_model.hpp"
#include "shmemu/abi.h"

namespace shmemu::device {

// Counted between two interactions; adds up over a phase.
struct Work {
  uint64_t quarter_slots = 0, cycles = 0, quarter_loads = 0, bytes = 0;
  Work& operator+=(const shmemu_work& w);
  // Makes this the work of a warp that has one more lane: the slowest chain, the most slots, all bytes.
  void join(const shmemu_work& lane, const GpuModel& gpu);
  bool operator==(const Work&) const = default;
};

// Time of one thread that has the SM to itself. `beyond_l2`: its loads come from memory.
Time chain_time(const GpuModel& gpu, const Work& work, bool beyond_l2);

// Something that serves one at a time. Requests come in any order of `from`, since warps run ahead of the clock; each
// takes the earliest time that is free.
class Server {
 public:
  // When `needed` is served; at the latest after `sharers` times what is needed. Nothing will be asked before `now`.
  Time serve(Time now, Time from, Time needed, int64_t sharers);

 private:
  std::map<Time, Time> busy_;  // start → end, disjoint
};

// The shared parts of one GPU.
class Compute {
 public:
  explicit Compute(const GpuModel& gpu) : gpu_(gpu), sms_(static_cast<size_t>(gpu.sms)) {}
  // When a phase of a warp that begins at `from` is through: `quarter_slots` of its slowest lane, `bytes` of all lanes.
  // `warps`: resident on that SM and on the GPU.
  struct Sharers {
    int64_t on_sm = 1, on_gpu = 1;
  };
  Time phase_end(int sm, Time now, Time from, uint64_t quarter_slots, uint64_t bytes, bool beyond_l2, Sharers warps);

 private:
  struct Sm {
    Server issue, memory_path;
  };
  const GpuModel& gpu_;
  std::vector<Sm> sms_;
  Server l2_, memory_;
};

}  // namespace shmemu::device
