// A collective as a list of operations: runs NVSHMEM's algorithm for every thread of a group without data and without
// time, and writes down what each thread would ask for.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/scratch.hpp"
#include "gpu/decode.hpp"

namespace shmemu::gpu {

// Sees the threads of the group in their order; each has a list that the operations are appended to.
struct CollectiveCall {
  PeId pe;
  int team = 0;              // its handle …
  std::vector<int> members;  // … which may have been another team before
  Collective collective = Collective::sync;
  Scope scope = Scope::thread;
  bool internal = false;         // asked for by the host
  int barrier = 0;               // of a warpgroup: its named barrier …
  uint32_t barrier_threads = 0;  // … and the threads that it counts; 0 = all of the block
  Call call;                     // addresses of the trace
  bool floating = false, sum = false, in_place = false;
};

class CollectiveRecorder {
 public:
  CollectiveRecorder(const RunLog& log, const Cluster& cluster)
      : log_(log), cluster_(cluster), scratch_(log.header.pes, cluster.settings) {}
  void record(const CollectiveCall& call, const std::vector<std::vector<traces::LaneEntry>*>& threads);

  static uint64_t scratch_bytes(int pes, const CollectiveSettings& settings);

 private:
  class Endpoint;
  struct Group;
  const RunLog& log_;
  const Cluster& cluster_;
  const Scratch scratch_;
  int area_of(int team, const std::vector<int>& members);
  std::map<std::pair<int, std::vector<int>>, int> areas_;  // of scratch memory, by handle and members
  std::map<std::pair<int, int>, TeamNumbers> numbers_;     // by PE and area
};

}  // namespace shmemu::gpu
