// Which algorithm NVSHMEM runs for a call: its decision tree, with the values that decided (NVSHMEM 3.3.9, collectives
// chapter of its device library). Pure functions of a Situation and the environment's settings.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/settings.hpp"
#include "transports/op.hpp"

namespace shmemu {

enum class Collective : uint8_t { barrier, sync, broadcast, fcollect, alltoall, reduce, reducescatter };

enum class Algorithm : uint8_t {
  sync_dissemination,
  sync_full,
  broadcast_put,
  broadcast_tree_2d,
  broadcast_tree,
  broadcast_flat,
  fcollect_ll,
  fcollect_ll128,
  fcollect_put,
  fcollect_nvls,
  fcollect_nvls_ll,
  fcollect_two_level,
  alltoall_put,
  alltoall_signal,
  alltoall_two_level,
  reduce_nvls_one_shot,
  reduce_nvls_two_shot,
  reduce_hierarchical,
  reduce_exchange,
  reduce_segmented,
  reduce_ring,
  reduce_two_level,
  reducescatter_put,
  reducescatter_nvls,
  count_
};
std::string_view name_of(Algorithm algorithm);
std::string_view name_of(Collective collective);

struct Situation {
  Collective collective = Collective::sync;
  Scope scope = Scope::thread;
  uint64_t count = 0, element_bytes = 1;  // of one PE's part, as in the call
  bool floating = false;                  // half, bfloat16 or float
  bool sum = true;
  bool in_place = false;
  int pes = 1;                 // of the team
  bool world = true;           // the team is team WORLD
  bool all_load_store = true;  // every member reaches every other by loads and stores
  bool one_node = true;
  bool block_distributed = true;  // as many PEs on each node, numbered node by node
  bool nvls = false;              // multicast over the team
  uint64_t bytes() const { return count * element_bytes; }
};

struct Choice {
  Algorithm algorithm;
  std::vector<std::string> path;  // "bytes 64 <= FCOLLECT_LL_THRESHOLD 2048: yes"
};

// How a collective on a stream runs: one block of as many threads as there are elements and fit; one thread to
// synchronise.
struct StreamShape {
  Scope scope;
  uint32_t threads;
  int blocks = 1;  // each on a duplicate of the team, with its part of the elements
};
// `s`: of the whole call. Several blocks only with multicast.
StreamShape stream_shape(const Situation& s, const CollectiveSettings& settings);

// `explain`: fill the path.
Choice choose(const Situation& s, const CollectiveSettings& settings, bool explain = false);
// Whether `a` can run there at all; a sentence why not otherwise, empty if it can.
std::string illegal(Algorithm a, const Situation& s, const CollectiveSettings& settings);
// The algorithms of a collective.
std::vector<Algorithm> algorithms_of(Collective collective);
// floor(log_radix n), at least 0.
int exchange_phases(int pes, int radix);

}  // namespace shmemu
