/* cooperative_groups::reduce: one value from those of all threads of a warp-sized group, known to each of them.
 *
 * Tiles exchange along a butterfly, coalesced groups along a tree of ranks; both take about log2(size) shuffles, as the
 * hardware does. The operation must be associative and commutative.
 */
#ifndef SHMEMU_COOPERATIVE_GROUPS_REDUCE_H
#define SHMEMU_COOPERATIVE_GROUPS_REDUCE_H
#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {
template <class T>
struct plus {
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  __host__ __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  __host__ __device__ T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  __host__ __device__ T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  __host__ __device__ T operator()(T a, T b) const { return a ^ b; }
};

template <class T, class Operation>
__device__ inline T reduce(const coalesced_group& group, T value, Operation&& operation) {
  const unsigned rank = group.thread_rank(), size = group.num_threads();
  for (unsigned step = 1; step < size; step *= 2) {
    T other = group.shfl_down(value, step);
    if (rank % (2 * step) == 0 && rank + step < size) value = operation(value, other);
  }
  return group.shfl(value, 0);
}
template <unsigned Size, class Parent, class T, class Operation>
__device__ inline T reduce(const thread_block_tile<Size, Parent>& tile, T value, Operation&& operation) {
  for (unsigned step = Size / 2; step > 0; step /= 2) value = operation(value, tile.shfl_xor(value, step));
  return value;
}
}  // namespace cooperative_groups
#endif
#endif
