/* thread_block and grid_group, and thread_group, which any group of threads of one block converts to.
 *
 * Stateless but for thread_group, which is either the whole block or the lanes of a mask.
 */
#ifndef SHMEMU_CUDA_GROUPS_BLOCK_AND_GRID_H
#define SHMEMU_CUDA_GROUPS_BLOCK_AND_GRID_H
#include "../../abi.h"
#include "../vector_types.h"

namespace cooperative_groups {
enum class thread_scope { thread, block, device, system };

namespace detail {
__device__ inline unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
__device__ inline unsigned lanes_below() { return (1u << lane()) - 1; }
__device__ inline unsigned block_rank_of_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
}  // namespace detail

/* any group inside a block; mask 0 means the whole block */
class thread_group {
 public:
  __device__ explicit thread_group(unsigned mask) : mask_(mask) {}
  __device__ void sync() const {
    if (mask_)
      __syncwarp(mask_);
    else
      __syncthreads();
  }
  __device__ unsigned thread_rank() const {
    return mask_ ? (unsigned)__popc(mask_ & detail::lanes_below()) : detail::block_rank_of_thread();
  }
  __device__ unsigned num_threads() const { return mask_ ? (unsigned)__popc(mask_) : detail::block_threads(); }
  __device__ unsigned size() const { return num_threads(); }
  __device__ bool is_valid() const { return true; }
  __device__ unsigned shmemu_mask() const { return mask_; }

 private:
  unsigned mask_;
};

class thread_block {
 public:
  struct arrival_token {};
  static constexpr cooperative_groups::thread_scope thread_scope = cooperative_groups::thread_scope::block;
  static __device__ void sync() { __syncthreads(); }
  /* arriving early has no effect of its own: the wait is the whole barrier */
  static __device__ arrival_token barrier_arrive() { return {}; }
  static __device__ void barrier_wait(arrival_token&&) { __syncthreads(); }
  static __device__ unsigned thread_rank() { return detail::block_rank_of_thread(); }
  static __device__ dim3 group_index() { return blockIdx; }
  static __device__ dim3 thread_index() { return threadIdx; }
  static __device__ dim3 group_dim() { return blockDim; }
  static __device__ dim3 dim_threads() { return blockDim; }
  static __device__ unsigned num_threads() { return detail::block_threads(); }
  static __device__ unsigned size() { return detail::block_threads(); }
  static __device__ bool is_valid() { return true; }
  __device__ operator thread_group() const { return thread_group(0u); }
};

class grid_group {
 public:
  struct arrival_token {};
  static constexpr cooperative_groups::thread_scope thread_scope = cooperative_groups::thread_scope::device;
  static __device__ bool is_valid() { return __shmemu_grid_is_cooperative() != 0; }
  static __device__ void sync() { __shmemu_grid_sync(); }
  static __device__ arrival_token barrier_arrive() { return {}; }
  static __device__ void barrier_wait(arrival_token&&) { __shmemu_grid_sync(); }
  static __device__ unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static __device__ unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static __device__ unsigned long long num_threads() { return num_blocks() * detail::block_threads(); }
  static __device__ unsigned long long size() { return num_threads(); }
  static __device__ unsigned long long thread_rank() {
    return block_rank() * detail::block_threads() + detail::block_rank_of_thread();
  }
  static __device__ dim3 dim_blocks() { return gridDim; }
  static __device__ dim3 group_dim() { return gridDim; }
  static __device__ dim3 block_index() { return blockIdx; }
  static __device__ dim3 thread_index() { return threadIdx; }
};

__device__ inline thread_block this_thread_block() { return {}; }
__device__ inline grid_group this_grid() { return {}; }
template <class Group>
__device__ void sync(const Group& group) {
  group.sync();
}
template <class Group>
__device__ unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
__device__ unsigned group_size(const Group& group) {
  return group.size();
}
}  // namespace cooperative_groups
#endif
