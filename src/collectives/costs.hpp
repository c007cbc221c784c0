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
  combine_async,     // one element after the other, whatever the threads
};

Time cost_of(const GpuModel& gpu, Overhead what, Scope scope, uint32_t threads, uint64_t items);
// A barrier of the threads of a warp or block.
Time group_sync_cost(const GpuModel& gpu, Scope scope, uint32_t threads);

}  // namespace shmemu
