// RunLog → Trace: records become the operations of their threads, collectives the operations of NVSHMEM's algorithm for
// the modelled cluster, measured gaps the time between operations. Pure: no GPU, no clock.
//
// Records do not show __syncthreads. Where a thread's call began after another thread of its block had got an answer
// from outside (a wait, a get), a barrier of the block is assumed between the two: that is the order which was seen.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "collectives/settings.hpp"
#include "gpu/run_log.hpp"
#include "model/placement.hpp"
#include "traces/reader.hpp"

namespace shmemu::gpu {

// What the modelled cluster says to the library's choices.
struct Cluster {
  Placement placement;
  std::function<bool(PeId, PeId)> load_store;
  const GpuModel* gpu = nullptr;
  CollectiveSettings settings;
};

struct Decoded {
  traces::Trace trace;
  std::vector<std::string> incomplete;  // why no time can be given; empty: complete
  std::vector<std::string> notes;
  size_t fetches = 0;  // atomics whose answer may have steered the program
};

// `all_threads`: also threads without calls get a list; a trace file needs that, a replay does not.
Decoded decode(const RunLog& log, const Cluster& cluster, bool all_threads = true);

// A record as it lies in a ring: 8 chunks of 16 bytes with the tag of the lap. False while it is not all there.
bool read_record(const char* slot, uint32_t tag, shmemu_log_record& out);

}  // namespace shmemu::gpu
