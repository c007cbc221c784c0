#include "collectives/costs.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace shmemu {

Time cost_of(const GpuModel& gpu, Overhead what, Scope scope, uint32_t threads, uint64_t items) {
  const CollectiveCosts& c = gpu.collectives;
  auto n = static_cast<int64_t>(items);
  auto rounds = static_cast<int64_t>((items + threads - 1) / threads);
  switch (what) {
    case Overhead::sync_entry:
      return c.sync_entry.of(scope);
    case Overhead::sync_round:
      return c.sync_round * n;
    case Overhead::barrier:
      return c.barrier;
    case Overhead::entry:
      return c.entry;
    case Overhead::peer:
      return c.peer * n;
    case Overhead::broadcast_tree:
      return c.broadcast_tree.of(scope);
    case Overhead::broadcast_flat:
      return c.broadcast_flat.of(scope);
    case Overhead::broadcast_receive:
      return c.broadcast_receive;
    case Overhead::packed_entry:
      return c.packed_entry;
    case Overhead::packed_grouped:
      return c.packed_grouped;
    case Overhead::packed_peer:
      return c.packed_peer * n;
    case Overhead::pack:
      return c.pack.of(scope) * rounds;
    case Overhead::unpack:
      return c.unpack.of(scope) * rounds;
    case Overhead::collect:
      return c.collect * n;
    case Overhead::exchange_entry:
      return c.exchange_entry.of(scope);
    case Overhead::exchange_round:
      return c.exchange_round;
    case Overhead::hierarchical:
      return c.hierarchical;
    case Overhead::combine:
      return c.combine.of(scope) * rounds;
    case Overhead::combine_wide:
      return scope == Scope::thread ? c.combine_wide_thread * rounds : c.combine.of(scope) * rounds;
    case Overhead::combine_async:
      return c.combine_async * n;
    case Overhead::multicast_entry:
      return c.multicast_entry;
    case Overhead::multicast_fence:
      return c.multicast_fence;
    case Overhead::segment:
      return scope == Scope::block ? c.segment_block : Time{};
    case Overhead::combine_received:
      return c.combine_received.of(scope) * rounds;
  }
  SHMEMU_ASSERT(false, "an overhead without a cost");
}

Time multicast_time(const GpuModel& gpu, const MulticastLoop& loop) {
  const CollectiveCosts& c = gpu.collectives;
  uint64_t per_round = uint64_t{loop.threads} * 16;
  Time round = loop.vector > c.multicast_reach ? c.multicast_round_memory : c.multicast_round;
  Time alone = round * static_cast<int64_t>((loop.bytes + per_round - 1) / per_round);
  Time shared = c.multicast_rate.time_for(loop.on_link * loop.blocks);
  if (loop.blocks > 1) shared += round;  // the last ones are on their way when the links are free
  return std::max(alone, shared);
}

Time group_sync_cost(const GpuModel& gpu, Scope scope, uint32_t threads) {
  switch (scope) {
    case Scope::thread:
      return {};
    case Scope::warp:
      return gpu.warp_op;
    case Scope::block:
      return std::max(gpu.cta_barrier, gpu.sync_per_warp * static_cast<int64_t>((threads + 31) / 32));
  }
  return {};
}

}  // namespace shmemu
