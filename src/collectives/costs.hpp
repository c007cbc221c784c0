// What the library computes around the messages of a collective: addresses, counters, packing, element loops. Constants
// and their measurements: platforms/gpus/h200.yaml, section collectives; the step structure:
// docs/design/collectives.md.
#pragma once
#include <cstdint>

#include "base/time.hpp"
#include "model/gpu_model.hpp"
#include "transports/op.hpp"

namespace shmemu {

enum class Overhead : uint8_t {
  sync_entry,
  sync_round,
  barrier,
  entry,
  peer,  // addresses of a loop of puts: once, and for every peer
  broadcast_tree,
  broadcast_flat,     // entry of a broadcast that packs, or that puts and signals
  broadcast_receive,  // before the first poll
  packed_entry,
  packed_grouped,  // entry of a packed fcollect, and of its path for large blocks
  packed_peer,     // for every peer that a warp serves
  pack,
  unpack,
  collect,  // items: units of 8 B (pack, unpack), rounds of a warp (collect)
  exchange_entry,
  exchange_round,
  hierarchical,
  combine,
  combine_wide,      // loops over elements of up to 4 B and of 8 B; items: elements
  combine_received,  // over what has just arrived
  segment,           // a block's round of the segmented reduce, beside all else
  combine_async,     // one element after the other, whatever the threads
  multicast_entry,
  multicast_fence,  // what a fence takes longer after stores to all
};

Time cost_of(const GpuModel& gpu, Overhead what, Scope scope, uint32_t threads, uint64_t items);
// A loop of multicast loads and stores of 16 B per thread over `bytes`, of `blocks` alike blocks that share the GPU's
// links, which carry `on_link` bytes each way for every one of them; `vector`: what all members and blocks work on.
struct MulticastLoop {
  uint32_t threads = 1, blocks = 1;
  uint64_t bytes = 0, on_link = 0, vector = 0;
};
Time multicast_time(const GpuModel& gpu, const MulticastLoop& loop);
// A barrier of the threads of a warp or block.
Time group_sync_cost(const GpuModel& gpu, Scope scope, uint32_t threads);

}  // namespace shmemu
