// NCCL 2.30's collectives for comparison: which algorithm and protocol its tuner takes, and how long that lasts. Unlike
// NVSHMEM's algorithms these are not run message by message: times are sums over the steps, rounds and waves of the
// kernels, with constants from 8 and 16 H200 (docs/design/collectives.md names them and what is extrapolated).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/chooser.hpp"
#include "model/gpu_model.hpp"

namespace shmemu::predict {

struct NcclSituation {
  Collective collective =
      Collective::reduce;  // broadcast, fcollect (AllGather), alltoall, reduce (AllReduce), reducescatter
  uint64_t bytes = 0;      // as of Question: of a PE's part, or of the vector
  int pes = 8, nodes = 1;
  bool nvls = true;
  bool registered = true;  // buffers in symmetric windows: inside a node symmetric kernels come before everything else
};

struct NcclTime {
  std::string algorithm, protocol;
  int channels = 1;
  double us = 0;     // inside a CUDA graph: launches cost a gap
  double tuner = 0;  // NCCL's own estimate, by which it chooses
  bool chosen = false;
  std::string bound;  // what limits it
};

// All that NCCL could take there. UserError for collectives it does not have.
std::vector<NcclTime> nccl_times(const NcclSituation& s, const GpuModel& gpu);

}  // namespace shmemu::predict
