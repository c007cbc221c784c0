// Which experts each token of each rank selects: what the router of a model decides and DeepEP moves. From the
// generators of DeepEP's test scripts, from files (routing_file.hpp), or counts. A value.
#pragma once
#include <cstdint>
#include <vector>

#include "deepep/setup.hpp"

namespace shmemu::deepep {

struct Routing {
  int experts = 0, topk = 0;
  std::vector<std::vector<int16_t>> picks;  // [rank][token * topk + j]: expert, or -1: nothing
  int ranks() const { return static_cast<int>(picks.size()); }
  int tokens(int rank) const { return static_cast<int>(picks[static_cast<size_t>(rank)].size()) / topk; }
  const int16_t* token(int rank, int t) const {
    return picks[static_cast<size_t>(rank)].data() + static_cast<size_t>(t) * topk;
  }
};

// The distribution of test_low_latency.py (top-k of |N(0,1)| + 1, ten entries masked) or test_internode.py (experts of
// the best `groups` nodes only). Only the order of the scores matters, so it is drawn directly.
Routing generate(const Setup& setup, int nodes);

// Skew of a routing: what a user asks first.
struct Skew {
  double hottest_rank = 0, hottest_expert = 0;  // over the mean
  double ranks_per_token = 0;                   // distinct
  double nodes_per_token = 0;
  uint64_t selections = 0, tokens = 0;
};
Skew skew_of(const Routing& routing, int ranks, int ranks_per_node);

}  // namespace shmemu::deepep
