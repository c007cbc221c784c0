/* thread_block_tile<N> and coalesced_group: lanes of one warp that shuffle, vote and match.
 *
 * A tile is N neighbouring lanes, N a power of two; its ranks are lanes modulo N. A coalesced group is any mask; its
 * ranks count the set bits, and ballots come packed in that order. Values of any size travel in words of 8 bytes.
 */
#ifndef SHMEMU_CUDA_GROUPS_WARP_H
#define SHMEMU_CUDA_GROUPS_WARP_H
#include "block_and_grid.h"

namespace cooperative_groups {
namespace detail {
template <class T>
__device__ inline T shuffle(unsigned mask, const T& value, int mode, int argument, int width) {
  constexpr unsigned words = (sizeof(T) + 7) / 8;
  uint64_t bits[words] = {};
  __builtin_memcpy(bits, &value, sizeof value);
  for (unsigned i = 0; i < words; i++) bits[i] = __shmemu_shfl(mask, bits[i], mode, argument, width);
  T result;
  __builtin_memcpy(&result, bits, sizeof result);
  return result;
}
/* the bits of `word` at the positions of `mask`, moved together */
__device__ inline unsigned pack(unsigned word, unsigned mask) {
  unsigned result = 0;
  for (unsigned rank = 0; mask; rank++, mask &= mask - 1) result |= ((word >> __builtin_ctz(mask)) & 1u) << rank;
  return result;
}
/* the lane of `mask` with this rank */
__device__ inline unsigned lane_of(unsigned mask, unsigned rank) {
  while (rank-- && mask) mask &= mask - 1;
  return mask ? (unsigned)__builtin_ctz(mask) : 0;
}
template <unsigned size>
struct tile_lanes {
  static constexpr unsigned value = (1u << size) - 1;
};
template <>
struct tile_lanes<32> {
  static constexpr unsigned value = 0xffffffffu;
};
}  // namespace detail

template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile is a power of two, at most one warp");

 public:
  struct arrival_token {};
  static constexpr cooperative_groups::thread_scope thread_scope = cooperative_groups::thread_scope::block;
  thread_block_tile() = default;
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other>&) {}

  static __device__ unsigned shmemu_mask() { return detail::tile_lanes<Size>::value << (detail::lane() & ~(Size - 1)); }
  static __device__ void sync() { __syncwarp(shmemu_mask()); }
  static __device__ arrival_token barrier_arrive() { return {}; }
  static __device__ void barrier_wait(arrival_token&&) { sync(); }
  static __device__ unsigned thread_rank() { return detail::lane() & (Size - 1); }
  static constexpr __host__ __device__ unsigned num_threads() { return Size; }
  static constexpr __host__ __device__ unsigned size() { return Size; }
  static __device__ bool is_valid() { return true; }
  /* which tile of its parent: a block without a parent type, else the larger tile */
  static __device__ unsigned meta_group_rank() { return Tiles<Parent>::rank(); }
  static __device__ unsigned meta_group_size() { return Tiles<Parent>::count(); }

  template <class T>
  static __device__ T shfl(T value, int rank) {
    return detail::shuffle(shmemu_mask(), value, 0, rank, Size);
  }
  template <class T>
  static __device__ T shfl_up(T value, unsigned delta) {
    return detail::shuffle(shmemu_mask(), value, 1, (int)delta, Size);
  }
  template <class T>
  static __device__ T shfl_down(T value, unsigned delta) {
    return detail::shuffle(shmemu_mask(), value, 2, (int)delta, Size);
  }
  template <class T>
  static __device__ T shfl_xor(T value, unsigned lanes) {
    return detail::shuffle(shmemu_mask(), value, 3, (int)lanes, Size);
  }
  static __device__ unsigned ballot(int predicate) {
    return (__ballot_sync(shmemu_mask(), predicate) >> (detail::lane() & ~(Size - 1))) &
           detail::tile_lanes<Size>::value;
  }
  static __device__ int any(int predicate) { return __any_sync(shmemu_mask(), predicate); }
  static __device__ int all(int predicate) { return __all_sync(shmemu_mask(), predicate); }
  template <class T>
  static __device__ unsigned match_any(T value) {
    return (__match_any_sync(shmemu_mask(), value) >> (detail::lane() & ~(Size - 1))) & detail::tile_lanes<Size>::value;
  }
  template <class T>
  static __device__ unsigned match_all(T value, int& predicate) {
    return (__match_all_sync(shmemu_mask(), value, &predicate) >> (detail::lane() & ~(Size - 1))) &
           detail::tile_lanes<Size>::value;
  }
  __device__ operator thread_group() const { return thread_group(shmemu_mask()); }

 private:
  template <class P, class = void>
  struct Tiles {
    static __device__ unsigned rank() { return detail::block_rank_of_thread() / Size; }
    static __device__ unsigned count() { return (detail::block_threads() + Size - 1) / Size; }
  };
  template <unsigned Outer, class P, class Unused>
  struct Tiles<thread_block_tile<Outer, P>, Unused> {
    static __device__ unsigned rank() { return (detail::lane() & (Outer - 1)) / Size; }
    static __device__ unsigned count() { return Outer / Size; }
  };
};

class coalesced_group {
 public:
  struct arrival_token {};
  static constexpr cooperative_groups::thread_scope thread_scope = cooperative_groups::thread_scope::block;
  __device__ explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  template <unsigned Size, class Parent>
  __device__ coalesced_group(const thread_block_tile<Size, Parent>& tile)
      : mask_(tile.shmemu_mask()), meta_rank_(tile.meta_group_rank()), meta_size_(tile.meta_group_size()) {}

  __device__ unsigned shmemu_mask() const { return mask_; }
  __device__ void sync() const { __syncwarp(mask_); }
  __device__ arrival_token barrier_arrive() const { return {}; }
  __device__ void barrier_wait(arrival_token&&) const { sync(); }
  __device__ unsigned thread_rank() const { return (unsigned)__popc(mask_ & detail::lanes_below()); }
  __device__ unsigned num_threads() const { return (unsigned)__popc(mask_); }
  __device__ unsigned size() const { return num_threads(); }
  __device__ bool is_valid() const { return true; }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }

  template <class T>
  __device__ T shfl(T value, int rank) const {
    return detail::shuffle(mask_, value, 0, (int)detail::lane_of(mask_, (unsigned)rank % num_threads()), 32);
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return detail::shuffle(mask_, value, 0, (int)detail::lane_of(mask_, rank >= delta ? rank - delta : rank), 32);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return detail::shuffle(mask_, value, 0,
                           (int)detail::lane_of(mask_, rank + delta < num_threads() ? rank + delta : rank), 32);
  }
  __device__ unsigned ballot(int predicate) const { return detail::pack(__ballot_sync(mask_, predicate), mask_); }
  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  template <class T>
  __device__ unsigned match_any(T value) const {
    return detail::pack(__match_any_sync(mask_, value), mask_);
  }
  template <class T>
  __device__ unsigned match_all(T value, int& predicate) const {
    return detail::pack(__match_all_sync(mask_, value, &predicate), mask_);
  }
  __device__ operator thread_group() const { return thread_group(mask_); }

 private:
  unsigned mask_, meta_rank_, meta_size_;
};

__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
__device__ inline thread_block_tile<1> this_thread() { return {}; }
}  // namespace cooperative_groups
#endif
