/* cooperative_groups::inclusive_scan and exclusive_scan over the ranks of a warp-sized group.
 *
 * About log2(size) shuffles. An exclusive scan without an operation starts at T{}.
 */
#ifndef SHMEMU_COOPERATIVE_GROUPS_SCAN_H
#define SHMEMU_COOPERATIVE_GROUPS_SCAN_H
#include "reduce.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {
template <class Group, class T, class Operation>
__device__ inline T inclusive_scan(const Group& group, T value, Operation&& operation) {
  const unsigned rank = group.thread_rank(), size = group.num_threads();
  for (unsigned step = 1; step < size; step *= 2) {
    T other = group.shfl_up(value, step);
    if (rank >= step) value = operation(other, value);
  }
  return value;
}
template <class Group, class T>
__device__ inline T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Operation>
__device__ inline T exclusive_scan(const Group& group, T value, Operation&& operation) {
  T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T{} : before;
}
template <class Group, class T>
__device__ inline T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}
}  // namespace cooperative_groups
#endif
#endif
