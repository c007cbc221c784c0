// broadcast, fcollect and alltoall: 25 types and bytes, by thread, warp and block, from the host and on a stream, on
// the world and on every other PE, by blocks of 1 and of 64 threads; and the barriers and syncs that need no data.
#include "check.hpp"

constexpr int kN = 5;
enum How { kThread, kWarp, kBlock, kHost, kStream, kHows };
enum What { kBroadcast, kFcollect, kAlltoall, kWhats };

// One name for all ways: the kernel for device scopes, direct calls for the others.
#define DEFINE(NAME, T, B, F, A)                                                                                    \
  __global__ void NAME##_kernel(int how, int what, nvshmem_team_t team, T* dest, const T* source, size_t n,         \
                                int root) {                                                                         \
    if (how == kThread && threadIdx.x == 0) {                                                                       \
      if (what == kBroadcast) nvshmem_##B(team, dest, source, n, root);                                             \
      if (what == kFcollect) nvshmem_##F(team, dest, source, n);                                                    \
      if (what == kAlltoall) nvshmem_##A(team, dest, source, n);                                                    \
    }                                                                                                               \
    if (how == kWarp && threadIdx.x < 32) {                                                                         \
      if (what == kBroadcast) nvshmemx_##B##_warp(team, dest, source, n, root);                                     \
      if (what == kFcollect) nvshmemx_##F##_warp(team, dest, source, n);                                            \
      if (what == kAlltoall) nvshmemx_##A##_warp(team, dest, source, n);                                            \
    }                                                                                                               \
    if (how == kBlock) {                                                                                            \
      if (what == kBroadcast) nvshmemx_##B##_block(team, dest, source, n, root);                                    \
      if (what == kFcollect) nvshmemx_##F##_block(team, dest, source, n);                                           \
      if (what == kAlltoall) nvshmemx_##A##_block(team, dest, source, n);                                           \
    }                                                                                                               \
  }                                                                                                                 \
  void NAME##_call(int how, int threads, int what, nvshmem_team_t team, T* dest, const T* source, size_t n,         \
                   int root) {                                                                                      \
    if (how < kHost) NAME##_kernel<<<1, threads>>>(how, what, team, dest, source, n, root);                         \
    if (how == kHost && what == kBroadcast) CHECK(nvshmem_##B(team, dest, source, n, root) == 0);                   \
    if (how == kHost && what == kFcollect) CHECK(nvshmem_##F(team, dest, source, n) == 0);                          \
    if (how == kHost && what == kAlltoall) CHECK(nvshmem_##A(team, dest, source, n) == 0);                          \
    if (how == kStream && what == kBroadcast) CHECK(nvshmemx_##B##_on_stream(team, dest, source, n, root, 0) == 0); \
    if (how == kStream && what == kFcollect) CHECK(nvshmemx_##F##_on_stream(team, dest, source, n, 0) == 0);        \
    if (how == kStream && what == kAlltoall) CHECK(nvshmemx_##A##_on_stream(team, dest, source, n, 0) == 0);        \
    CUDA(cudaDeviceSynchronize());                                                                                  \
  }
#define DEFINE_TYPE(NAME, T) DEFINE(NAME, T, NAME##_broadcast, NAME##_fcollect, NAME##_alltoall)
RMA_TYPES(DEFINE_TYPE)
DEFINE(mem, void, broadcastmem, fcollectmem, alltoallmem)

constexpr int kMostPes = 64;
char* g_space;  // symmetric: two arrays of kMostPes * kN elements

// `unit`: 1, or sizeof(T) for the byte forms
template <class T, class Call>
void test(const char* name, nvshmem_team_t team, int stride, size_t unit, Call call) {
  int me = nvshmem_my_pe(), mine = nvshmem_team_my_pe(team), size = nvshmem_team_n_pes(team);
  std::vector<T> words(kN * size);
  for (int i = 0; i < kN * size; ++i) words[i] = value<T>(me, i);
  auto run = [&](int how, int threads, T* dest, T* source) {
    auto expect = [&](const std::vector<T>& found, int i, int from, int j, const char* what) {
      if (same(found[i], value<T>(from, j))) return;
      std::printf("PE %d: %s %s, way %d, %d threads, element %d of %d PEs is wrong\n", me, name, what, how, threads, i,
                  size);
      std::exit(1);
    };
    auto read = [&](int count) {
      std::vector<T> found(count);
      CUDA(cudaMemcpy(found.data(), dest, count * sizeof(T), cudaMemcpyDeviceToHost));
      nvshmem_barrier(team);
      return found;
    };
    for (int root = 0; root < size; ++root) {
      call(how, threads, kBroadcast, team, dest, source, kN * unit, root);
      std::vector<T> found = read(kN);
      for (int i = 0; i < kN; ++i) expect(found, i, root * stride, i, "broadcast");
    }
    call(how, threads, kFcollect, team, dest, source, kN * unit, 0);
    std::vector<T> found = read(kN * size);
    for (int p = 0; p < size; ++p)
      for (int i = 0; i < kN; ++i) expect(found, p * kN + i, p * stride, i, "fcollect");
    call(how, threads, kAlltoall, team, dest, source, kN * unit, 0);
    found = read(kN * size);
    for (int p = 0; p < size; ++p)
      for (int i = 0; i < kN; ++i) expect(found, p * kN + i, p * stride, mine * kN + i, "alltoall");
  };
  T* dest = reinterpret_cast<T*>(g_space);
  T* source = dest + kMostPes * kN;
  CUDA(cudaMemcpy(source, words.data(), words.size() * sizeof(T), cudaMemcpyHostToDevice));
  nvshmem_barrier(team);
  for (int how = 0; how < kHows; ++how) {
    run(how, 64, dest, source);
    if (how < kHost) run(how, 1, dest, source);
  }
}
__global__ void meet(nvshmem_team_t team, int* calls) {
  int bad = 0;
  if (threadIdx.x == 0) bad |= nvshmem_barrier(team) | nvshmem_team_sync(team);
  if (threadIdx.x < 32) bad |= nvshmemx_barrier_warp(team) | nvshmemx_team_sync_warp(team);
  if (threadIdx.x < 128) bad |= nvshmemx_barrier_warpgroup(team);
  bad |= nvshmemx_barrier_block(team) | nvshmemx_team_sync_block(team);
  if (threadIdx.x == 0 && !bad) *calls += 1;
}
__global__ void meet_all(int* calls) {
  if (threadIdx.x == 0) nvshmem_barrier_all(), nvshmem_sync_all();
  if (threadIdx.x < 32) nvshmemx_barrier_all_warp(), nvshmemx_sync_all_warp();
  nvshmemx_barrier_all_block(), nvshmemx_sync_all_block();
  if (threadIdx.x == 0) *calls += 1;
}

void test_barriers(nvshmem_team_t team, bool everybody) {
  int* calls;
  CUDA(cudaMallocManaged(&calls, sizeof *calls));
  *calls = 0;
  for (int threads : {1, 64, 128, 256}) meet<<<1, threads>>>(team, calls);
  if (everybody)
    for (int threads : {1, 64}) meet_all<<<1, threads>>>(calls);
  CHECK(nvshmemx_barrier_on_stream(team, 0) == 0 && nvshmemx_team_sync_on_stream(team, 0) == 0);
  CUDA(cudaDeviceSynchronize());
  CHECK(*calls == (everybody ? 6 : 4));
  CHECK(nvshmem_barrier(team) == 0 && nvshmem_team_sync(team) == 0);
  CUDA(cudaFree(calls));
}

void test_team(nvshmem_team_t team, int stride) {
#define RUN(NAME, T) test<T>(#NAME, team, stride, 1, NAME##_call);
  RMA_TYPES(RUN)
  test<float>("mem", team, stride, sizeof(float), mem_call);
  test_barriers(team, stride == 1);
}

int main() {
  nvshmem_init();
  CUDA(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  g_space = static_cast<char*>(nvshmem_malloc(2 * kMostPes * kN * sizeof(double)));
  CHECK(nvshmem_n_pes() <= kMostPes);
  test_team(NVSHMEM_TEAM_WORLD, 1);
  nvshmem_team_t even;
  nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, (nvshmem_n_pes() + 1) / 2, nullptr, 0, &even);
  if (even != NVSHMEM_TEAM_INVALID) test_team(even, 2);
  nvshmem_barrier_all();
  nvshmem_free(g_space);
  if (nvshmem_my_pe() == 0) std::puts("ok");
  nvshmem_finalize();
}
