/* Chapter 17: tiles, tensors of up to four dimensions (release 3.3.9; put, get, broadcast and rooted_reduce are
 * additions of 3.5). half, bfloat16 and float. The templates only describe the tile to the runtime. tile_OP_reduce with
 * a root is 3.3.9's reduction to the root; with the two-shot algorithm it is 3.5's allreduce.
 */
#ifndef SHMEMU_NVSHMEM_TILE_H
#define SHMEMU_NVSHMEM_TILE_H
#include "types_constants.h"

#if defined(__cplusplus) && __cplusplus >= 201703L && SHMEMU_DEVICE_NAMES
#include <cuda/std/tuple>
#include <cuda/std/type_traits>

template <int v>
struct ConstInt : cuda::std::integral_constant<int, v> {
  __host__ __device__ constexpr operator int() const { return v; }
};

namespace nvshmemx {

template <class... Shapes>
using shape = cuda::std::tuple<Shapes...>;
template <class... Strides>
using stride = cuda::std::tuple<Strides...>;
template <class... T>
__host__ __device__ constexpr shape<T...> make_shape(const T&... t) {
  return {t...};
}
template <class... T>
__host__ __device__ constexpr stride<T...> make_stride(const T&... t) {
  return {t...};
}

template <class Shape, class Stride>
struct Layout {
  __host__ __device__ constexpr Layout(const Shape& shape = {}, const Stride& stride = {})
      : shape_(shape), stride_(stride) {}
  __host__ __device__ constexpr Shape shape() const { return shape_; }
  __host__ __device__ constexpr Stride stride() const { return stride_; }

 private:
  Shape shape_;
  Stride stride_;
};
template <class Shape, class Stride>
__host__ __device__ constexpr Layout<Shape, Stride> make_layout(const Shape& shape, const Stride& stride) {
  return Layout<Shape, Stride>(shape, stride);
}

template <typename T, class Layout>
struct Tensor {
  using value_type = T;
  using layout_type = Layout;
  T* _data;
  const Layout _layout;
  __host__ __device__ constexpr Tensor(T* data, Layout layout) : _data(data), _layout(layout) {}
  __host__ __device__ Tensor(Layout layout) : _data(nullptr), _layout(layout) {}
  __host__ __device__ constexpr Layout layout() const { return _layout; }
  __host__ __device__ constexpr T* data() const { return _data; }
  __host__ __device__ constexpr auto stride() const { return _layout.stride(); }
  __host__ __device__ constexpr auto shape() const { return _layout.shape(); }
};

typedef enum {
  NVLS_ONE_SHOT_PUSH_NBI = 0,
  NVLS_ONE_SHOT_PULL_NBI = 1,
  NVLS_TWO_SHOT_PUSH_NBI = 2,
  NVLS_TWO_SHOT_PULL_NBI = 3,
  NVSHMEMI_TILE_COLL_ALGO_SENTINEL = INT_MAX
} tile_coll_algo_t;
typedef enum {
  PEER_PUSH_NBI = 0,
  PEER_PULL_NBI = 0,
  REMOTE_PUSH_NBI = 1,
  REMOTE_PULL_NBI = 1,
  NVSHMEMI_TILE_ALGO_SENTINEL = INT_MAX
} tile_algo_t;

namespace shmemu_detail {

template <class T>
constexpr int element_type() {
  static_assert(
      cuda::std::is_same_v<T, half> || cuda::std::is_same_v<T, __nv_bfloat16> || cuda::std::is_same_v<T, float>,
      "tiles are tensors of half, __nv_bfloat16 or float");
  return cuda::std::is_same_v<T, half> ? SHMEMU_F16 : cuda::std::is_same_v<T, float> ? SHMEMU_F32 : SHMEMU_BF16;
}
constexpr bool is_pull(tile_coll_algo_t algo) {
  return algo == NVLS_ONE_SHOT_PULL_NBI || algo == NVLS_TWO_SHOT_PULL_NBI;
}

/* a tuple's members into an array; an empty tuple leaves it as it is */
template <class Tuple>
__device__ inline void unpack(const Tuple& tuple, int64_t* out) {
  if constexpr (!cuda::std::is_empty_v<Tuple>)
    cuda::std::apply([out](const auto&... member) mutable { ((*out++ = static_cast<int64_t>(member)), ...); }, tuple);
}
template <class TensorT, class Tuple>
__device__ inline shmemu_tile describe(const TensorT& tensor, const Tuple& start, const Tuple& boundary) {
  using Shape = decltype(tensor.shape());
  constexpr uint32_t dimensions = cuda::std::tuple_size_v<Shape>;
  static_assert(dimensions >= 1 && dimensions <= 4, "a tile has one to four dimensions");
  shmemu_tile tile{const_cast<void*>(static_cast<const void*>(tensor._data)),
                   dimensions,
                   sizeof(typename TensorT::value_type),
                   {1, 1, 1, 1},
                   {},
                   {},
                   {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}};
  unpack(tensor.shape(), tile.shape);
  unpack(tensor.stride(), tile.stride);
  unpack(start, tile.lower);
  unpack(boundary, tile.upper);
  return tile;
}
template <class S, class D, class Tuple>
__device__ inline int run(int kind, int team, const S& src, const D& dst, const Tuple& start, const Tuple& boundary,
                          int op, int root, bool pull, int scope, uint64_t flag) {
  if (flag) return -1; /* no flag is defined */
  const shmemu_tile from = describe(src, start, boundary), to = describe(dst, start, boundary);
  return __shmemu_tile(kind, team, &from, &to, element_type<typename S::value_type>(), op, root, pull, scope);
}

}  // namespace shmemu_detail

#define SHMEMU_TILE_REDUCTION(NAME, SUFFIX, OP, SCOPE, KIND)                                                       \
  template <typename src_tensor_t, typename dst_tensor_t, typename tuple_t, tile_coll_algo_t algo>                 \
  __device__ inline int NAME##SUFFIX(nvshmem_team_t team, src_tensor_t src, dst_tensor_t dst, tuple_t start_coord, \
                                     tuple_t boundary, int root, uint64_t flag) {                                  \
    return shmemu_detail::run(KIND, team, src, dst, start_coord, boundary, OP, root, shmemu_detail::is_pull(algo), \
                              SCOPE, flag);                                                                        \
  }
#define SHMEMU_TILE_EVERYWHERE(NAME, SUFFIX, OP, SCOPE, KIND)                                                      \
  template <typename src_tensor_t, typename dst_tensor_t, typename tuple_t, tile_coll_algo_t algo>                 \
  __device__ inline int NAME##SUFFIX(nvshmem_team_t team, src_tensor_t src, dst_tensor_t dst, tuple_t start_coord, \
                                     tuple_t boundary, uint64_t flag) {                                            \
    return shmemu_detail::run(KIND, team, src, dst, start_coord, boundary, OP, -1, shmemu_detail::is_pull(algo),   \
                              SCOPE, flag);                                                                        \
  }
#define SHMEMU_TILE_TRANSFER(NAME, SUFFIX, SCOPE, KIND)                                                         \
  template <typename src_tensor_t, typename dst_tensor_t, typename tuple_t, tile_algo_t algo>                   \
  __device__ inline int NAME##SUFFIX(src_tensor_t src, dst_tensor_t dst, tuple_t start_coord, tuple_t boundary, \
                                     int pe, uint64_t flag) {                                                   \
    return shmemu_detail::run(KIND, pe, src, dst, start_coord, boundary, 0, -1, false, SCOPE, flag);            \
  }
#define SHMEMU_TILE_OP(WORD, OP, SUFFIX, SCOPE)                                                    \
  SHMEMU_TILE_REDUCTION(tile_##WORD##_allreduce, SUFFIX, OP, SCOPE, SHMEMU_TILE_ALLREDUCE)         \
  SHMEMU_TILE_EVERYWHERE(tile_##WORD##_allreduce, SUFFIX, OP, SCOPE, SHMEMU_TILE_ALLREDUCE)        \
  SHMEMU_TILE_REDUCTION(tile_##WORD##_reduce, SUFFIX, OP, SCOPE,                                   \
                        shmemu_detail::is_pull(algo) ? SHMEMU_TILE_REDUCE : SHMEMU_TILE_ALLREDUCE) \
  SHMEMU_TILE_EVERYWHERE(tile_##WORD##_reduce, SUFFIX, OP, SCOPE, SHMEMU_TILE_ALLREDUCE)           \
  SHMEMU_TILE_REDUCTION(tile_##WORD##_rooted_reduce, SUFFIX, OP, SCOPE, SHMEMU_TILE_REDUCE)
#define SHMEMU_TILE_SCOPE(SUFFIX, SCOPE)                                                   \
  SHMEMU_TILE_OP(sum, SHMEMU_SUM, SUFFIX, SCOPE)                                           \
  SHMEMU_TILE_OP(min, SHMEMU_MIN, SUFFIX, SCOPE)                                           \
  SHMEMU_TILE_OP(max, SHMEMU_MAX, SUFFIX, SCOPE)                                           \
  SHMEMU_TILE_EVERYWHERE(tile_allgather, SUFFIX, 0, SCOPE, SHMEMU_TILE_ALLGATHER)          \
  SHMEMU_TILE_EVERYWHERE(tile_broadcast, SUFFIX, 0, SCOPE, SHMEMU_TILE_BROADCAST)          \
  SHMEMU_TILE_TRANSFER(tile_put, SUFFIX, SCOPE, SHMEMU_TILE_PUT)                           \
  SHMEMU_TILE_TRANSFER(tile_get, SUFFIX, SCOPE, SHMEMU_TILE_GET)                           \
  template <tile_coll_algo_t algo>                                                         \
  __device__ inline int tile_collective_wait##SUFFIX(nvshmem_team_t team, uint64_t flag) { \
    return flag ? -1 : __shmemu_tile_wait(team, shmemu_detail::is_pull(algo), SCOPE);      \
  }
SHMEMU_TILE_SCOPE(, SHMEMU_THREAD)
SHMEMU_TILE_SCOPE(_warp, SHMEMU_WARP)
SHMEMU_TILE_SCOPE(_warpgroup, SHMEMU_WARPGROUP)
SHMEMU_TILE_SCOPE(_block, SHMEMU_BLOCK)
#undef SHMEMU_TILE_REDUCTION
#undef SHMEMU_TILE_EVERYWHERE
#undef SHMEMU_TILE_TRANSFER
#undef SHMEMU_TILE_OP
#undef SHMEMU_TILE_SCOPE

}  // namespace nvshmemx
#endif
#endif
