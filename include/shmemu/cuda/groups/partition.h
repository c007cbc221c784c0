/* Groups out of groups: tiles, halves by predicate, parts by label; and one thread chosen to act for all.
 *
 * A part never leaves its warp. Partitions by value (binary, labeled) are warp operations themselves.
 */
#ifndef SHMEMU_CUDA_GROUPS_PARTITION_H
#define SHMEMU_CUDA_GROUPS_PARTITION_H
#include "warp.h"

namespace cooperative_groups {
/* ---- tiles ---- */
template <unsigned Size>
__device__ inline thread_block_tile<Size, void> tiled_partition(const thread_block&) {
  return {};
}
template <unsigned Size, unsigned Outer, class Parent>
__device__ inline thread_block_tile<Size, thread_block_tile<Outer, void>> tiled_partition(
    const thread_block_tile<Outer, Parent>&) {
  static_assert(Size <= Outer, "a tile is not larger than its parent");
  return {};
}
/* `size` neighbouring ranks of a coalesced group; the last part may be smaller */
__device__ inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  const unsigned part = parent.thread_rank() / size;
  unsigned mask = 0, rank = 0;
  for (unsigned rest = parent.shmemu_mask(); rest; rest &= rest - 1, rank++)
    if (rank / size == part) mask |= rest & (0u - rest);
  return coalesced_group(mask, part, (parent.num_threads() + size - 1) / size);
}
template <unsigned Size>
__device__ inline coalesced_group tiled_partition(const coalesced_group& parent) {
  return tiled_partition(parent, Size);
}
__device__ inline thread_group tiled_partition(const thread_block&, unsigned size) {
  const unsigned rank = detail::block_rank_of_thread() & 31, lanes = size >= 32 ? 0xffffffffu : (1u << size) - 1;
  return thread_group(lanes << (rank / size * size));
}
__device__ inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  if (!parent.shmemu_mask()) return tiled_partition(thread_block(), size);
  return tiled_partition(coalesced_group(parent.shmemu_mask()), size);
}

/* ---- by value ---- */
template <class Group>
__device__ inline coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned yes = __ballot_sync(group.shmemu_mask(), predicate);
  const unsigned present = yes | __ballot_sync(group.shmemu_mask(), !predicate);
  return coalesced_group(predicate ? yes : present & ~yes, predicate ? 1 : 0, 2);
}
/* parts are numbered by their lowest lane */
template <class Group, class Label>
__device__ inline coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned mine = __match_any_sync(group.shmemu_mask(), label);
  const unsigned leaders = __ballot_sync(group.shmemu_mask(), (mine & detail::lanes_below()) == 0);
  const unsigned first = mine & (0u - mine);
  return coalesced_group(mine, (unsigned)__popc(leaders & (first - 1)), (unsigned)__popc(leaders));
}

/* ---- one for all: the thread of rank 0 ---- */
template <class Group, class Function, class... Arguments>
__device__ inline void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
__device__ inline auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}
}  // namespace cooperative_groups
#endif
