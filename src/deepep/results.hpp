// What a run of the DeepEP protocol comes to: times of each rank, bytes by kind, use of the resources. Values.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace shmemu::deepep {

// One rank in one operation; moments on the clock of the run.
struct RankTimes {
  Time start, others_started, issued, arrived, forwarded, end;
  Time notify = {};  // barriers and prefix sums before the kernel, part of the call
  Time hook = {};    // LL with a hook: start of the receiving kernel
  Time kernel() const { return end - start; }
};

struct Use {                  // of one kind of resource over the time of the operation
  double mean = 0, most = 0;  // share of the time busy, over its instances
  std::vector<double> each;   // adapters and links in order; empty for warps
};

struct OpResult {
  std::string name;                // dispatch, combine
  std::vector<RankTimes> samples;  // ranks of all counted iterations, iteration by iteration
  int ranks = 0;
  // per rank and iteration, mean; logical: as the scripts count, HT over nodes its RDMA number, inside a node its
  // NVLink one
  double logical_bytes = 0, logical_nvl_bytes = 0, wire_bytes = 0, nvlink_bytes = 0;
  uint64_t messages = 0, atomics = 0, doorbells = 0, nvlink_copies = 0;  // of all ranks, per iteration
  std::map<std::string, Use> use;
};

struct Results {
  std::vector<OpResult> ops;
  uint64_t events = 0;
  std::vector<std::string> notes;
};

}  // namespace shmemu::deepep
