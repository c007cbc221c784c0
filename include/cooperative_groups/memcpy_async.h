/* cooperative_groups::memcpy_async and wait: a copy that the threads of a group make together.
 *
 * The copy happens at the call, 16 bytes per thread and step where alignment allows; waiting is a barrier of the group.
 * Reading the destination before the wait is therefore not caught here.
 */
#ifndef SHMEMU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SHMEMU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {
namespace detail {
template <class Group>
__device__ inline void copy(const Group& group, void* to, const void* from, size_t bytes) {
  const size_t rank = group.thread_rank(), threads = group.num_threads();
  const size_t quads = ((size_t)to | (size_t)from) % 16 == 0 ? bytes / 16 : 0;
  for (size_t i = rank; i < quads; i += threads) ((uint4*)to)[i] = ((const uint4*)from)[i];
  for (size_t i = quads * 16 + rank; i < bytes; i += threads) ((char*)to)[i] = ((const char*)from)[i];
}
template <class T>
struct element_bytes {
  static constexpr size_t value = sizeof(T);
};
template <>
struct element_bytes<void> {
  static constexpr size_t value = 1;
};
}  // namespace detail

/* `shape` is bytes: a number, or an aligned_size_t that converts to one */
template <class Group, class T, class Shape>
__device__ inline void memcpy_async(const Group& group, T* to, const T* from, const Shape& shape) {
  detail::copy(group, to, from, (size_t)shape);
}
/* layouts count elements; the smaller one is copied */
template <class Group, class T, class ToLayout, class FromLayout>
__device__ inline void memcpy_async(const Group& group, T* to, const ToLayout& to_layout, const T* from,
                                    const FromLayout& from_layout) {
  const size_t count = (size_t)to_layout < (size_t)from_layout ? (size_t)to_layout : (size_t)from_layout;
  detail::copy(group, to, from, count * detail::element_bytes<T>::value);
}
template <class Group>
__device__ inline void wait(const Group& group) {
  group.sync();
}
template <unsigned Stages, class Group>
__device__ inline void wait_prior(const Group& group) {
  group.sync();
}
}  // namespace cooperative_groups
#endif
#endif
