// What NVSHMEM's collectives compute around their messages on one GPU type; read from section `collectives` of its
// file, used by src/collectives/costs.cpp.
#pragma once
#include "base/time.hpp"

namespace shmemu {

struct PerScope {
  Time thread, warp, block;
  template <class S>
  Time of(S scope) const {
    return scope == S::thread ? thread : scope == S::warp ? warp : block;
  }
};

struct CollectiveCosts {
  PerScope sync_entry;
  Time sync_round, barrier;
  Time entry, peer;
  PerScope broadcast_tree, broadcast_flat;
  Time broadcast_receive;
  Time packed_entry, packed_grouped, packed_peer, collect;
  PerScope pack, unpack;
  PerScope exchange_entry;
  Time exchange_round, hierarchical;
  PerScope combine, combine_received;
  Time combine_wide_thread, combine_async, segment_block;
  Time multicast_entry, multicast_fence, multicast_round, multicast_round_memory;
  uint64_t multicast_reach = 0;  // bytes; sources and sums of larger vectors do not stay in the L2s
  Rate multicast_rate;
};

}  // namespace shmemu
