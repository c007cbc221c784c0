// The tile API: every scope, both algorithms, rows along either dimension, a boundary, half, bfloat16 and float.
#include "check.hpp"

using namespace nvshmemx;
constexpr int kRows = 8, kColumns = 6;
struct None {};
template <class T>
using Tile = Tensor<T, Layout<shape<ConstInt<kRows>, int>, stride<ConstInt<1>, int>>>;
template <class T>
using Turned = Tensor<T, Layout<shape<int, int>, stride<int, int>>>;  // row by row

template <class T>
__host__ __device__ Tile<T> tile(T* data, int columns = kColumns) {
  return {data, make_layout(make_shape(ConstInt<kRows>{}, columns), make_stride(ConstInt<1>{}, int(kRows)))};
}
template <class T>
__host__ __device__ Turned<T> turned(T* data) {
  return {data, make_layout(make_shape(int(kRows), int(kColumns)), make_stride(int(kColumns), 1))};
}

enum What {
  kAllreducePull,
  kAllreducePush,
  kReduce,
  kMin,
  kMax,
  kAllgather,
  kBroadcast,
  kPut,
  kGet,
  kBounded,
  kTurned,
  kWhats
};

// One scope: SUFFIX and the threads that take part.
#define SCOPE(SUFFIX, THREADS)                                                                                  \
  template <class T>                                                                                            \
  __global__ void run##SUFFIX(int what, nvshmem_team_t team, T* dest, T* source, int root, int right) {         \
    if (threadIdx.x >= THREADS) return;                                                                         \
    constexpr auto pull = NVLS_ONE_SHOT_PULL_NBI, push = NVLS_TWO_SHOT_PUSH_NBI, once = NVLS_ONE_SHOT_PUSH_NBI; \
    auto from = tile(source), to = tile(dest);                                                                  \
    using A = decltype(from);                                                                                   \
    int n = nvshmem_team_n_pes(team), bad = 0;                                                                  \
    switch (what) {                                                                                             \
      case kAllreducePull:                                                                                      \
        bad = tile_sum_allreduce##SUFFIX<A, A, None, pull>(team, from, to, {}, {}, 0);                          \
        break;                                                                                                  \
      case kMin:                                                                                                \
        bad = tile_min_allreduce##SUFFIX<A, A, None, pull>(team, from, to, {}, {}, 0);                          \
        break;                                                                                                  \
      case kMax:                                                                                                \
        bad = tile_max_reduce##SUFFIX<A, A, None, pull>(team, from, to, {}, {}, 0);                             \
        break;                                                                                                  \
      case kAllreducePush:                                                                                      \
        bad = tile_sum_allreduce##SUFFIX<A, A, None, push>(team, from, to, {}, {}, root, 0);                    \
        break;                                                                                                  \
      case kReduce:                                                                                             \
        bad = tile_sum_reduce##SUFFIX<A, A, None, pull>(team, from, to, {}, {}, root, 0);                       \
        break;                                                                                                  \
      case kAllgather: {                                                                                        \
        auto all = tile(dest, n * kColumns);                                                                    \
        bad = tile_allgather##SUFFIX<A, A, None, once>(team, from, all, {}, {}, 0);                             \
        break;                                                                                                  \
      }                                                                                                         \
      case kBroadcast:                                                                                          \
        if (nvshmem_team_my_pe(team) == root)                                                                   \
          bad = tile_broadcast##SUFFIX<A, A, None, once>(team, from, to, {}, {}, 0);                            \
        break;                                                                                                  \
      case kPut:                                                                                                \
        bad = tile_put##SUFFIX<A, A, None, PEER_PUSH_NBI>(from, to, {}, {}, right, 0);                          \
        break;                                                                                                  \
      case kGet:                                                                                                \
        bad = tile_get##SUFFIX<A, A, None, PEER_PULL_NBI>(from, to, {}, {}, right, 0);                          \
        break;                                                                                                  \
      case kBounded: { /* 5 rows and 4 columns lie inside */                                                    \
        using Place = shape<int, int>;                                                                          \
        bad = tile_sum_allreduce##SUFFIX<A, A, Place, pull>(team, from, to, Place{3, 2}, Place{8, 6}, 0);       \
        break;                                                                                                  \
      }                                                                                                         \
      case kTurned: {                                                                                           \
        auto a = turned(source), b = turned(dest);                                                              \
        using R = decltype(a);                                                                                  \
        bad = tile_sum_allreduce##SUFFIX<R, R, None, pull>(team, a, b, {}, {}, 0);                              \
        break;                                                                                                  \
      }                                                                                                         \
      default:                                                                                                  \
        break;                                                                                                  \
    }                                                                                                           \
    if (what == kAllreducePull || what == kMin || what == kMax || what == kReduce || what == kBounded ||        \
        what == kTurned)                                                                                        \
      bad |= tile_collective_wait##SUFFIX<pull>(team, 0);                                                       \
    else                                                                                                        \
      bad |= tile_collective_wait##SUFFIX<push>(team, 0);                                                       \
    if (bad) __trap();                                                                                          \
  }
SCOPE(, 1)
SCOPE(_warp, 32)
SCOPE(_warpgroup, 128)
SCOPE(_block, 1024)

template <class T>
void test() {
  int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n, root = n - 1;
  constexpr int kAll = kRows * kColumns;
  Symmetric<T> source(kAll), dest(static_cast<size_t>(n) * kAll);
  std::vector<T> mine(kAll), zeros(static_cast<size_t>(n) * kAll, T(0.0f));
  auto at = [](int pe, int i) { return static_cast<float>((pe * 3 + i) % 8); };  // sums are exact in every type
  for (int i = 0; i < kAll; ++i) mine[i] = T(at(me, i));
  source.write(mine);
  for (int scope = 0; scope < 4; ++scope)
    for (int threads : {1, 32, 256})
      for (int what = 0; what < kWhats; ++what) {
        dest.write(zeros);
        nvshmem_barrier_all();
        auto* kernel = scope == 0 ? run<T> : scope == 1 ? run_warp<T> : scope == 2 ? run_warpgroup<T> : run_block<T>;
        kernel<<<1, threads>>>(what, NVSHMEM_TEAM_WORLD, dest.data(), source.data(), root, right);
        CUDA(cudaDeviceSynchronize());
        std::vector<T> found = dest.read();
        for (int i = 0; i < (what == kAllgather ? n : 1) * kAll; ++i) {
          float sum = 0, low = 100, high = -1;
          for (int p = 0; p < n; ++p) sum += at(p, i), low = std::min(low, at(p, i)), high = std::max(high, at(p, i));
          float expected = what == kMin         ? low
                           : what == kMax       ? high
                           : what == kReduce    ? (me == root ? sum : 0)
                           : what == kAllgather ? at(i / kAll, i % kAll)
                           : what == kBroadcast ? at(root, i)
                           : what == kPut       ? at(left, i)
                           : what == kGet       ? at(right, i)
                           : what == kBounded   ? (i % kRows < 5 && i / kRows < 4 ? sum : 0)
                                                : sum;
          if (static_cast<float>(found[i]) == expected) continue;
          std::printf("PE %d: what %d, scope %d, %d threads, element %d: %g, expected %g\n", me, what, scope, threads,
                      i, static_cast<float>(found[i]), expected);
          std::exit(1);
        }
        nvshmem_barrier_all();
      }
}

int main() {
  nvshmem_init();
  CUDA(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  test<float>();
  test<half>();
  test<__nv_bfloat16>();
  if (nvshmem_my_pe() == 0) std::puts("ok");
  nvshmem_finalize();
}
