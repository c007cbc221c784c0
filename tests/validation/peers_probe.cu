// Several PEs at once on one NVLink domain: who sends to whom, how much each kernel moves per second. All PEs start
// together behind a barrier. Row: pattern,pes,ctas,threads,bytes per peer,GB/s of the busiest PE (median, min, max).
//
// On hardware compile with -include uid_init.hpp; under emulation with shmemu cc.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "cuda_check.hpp"

namespace {

constexpr int kMostPeers = 16;
#ifdef __SHMEMU__
constexpr int kRepetitions = 2;
#else
constexpr int kRepetitions = 30;
#endif

struct Peers {
  int pe[kMostPeers];
  int count;
};

// Block b sends its share of `bytes` to peer b % count; `get`: fetches instead.
__global__ void move(char* to, const char* from, size_t bytes, Peers peers, bool get, int rounds) {
  if (peers.count == 0) return;
  const int peer = peers.pe[blockIdx.x % peers.count], me = nvshmem_my_pe();
  const size_t blocks = gridDim.x / peers.count, share = bytes / blocks, offset = blockIdx.x / peers.count * share;
  if (blockIdx.x / peers.count >= blocks) return;
  for (int r = 0; r < rounds; ++r) {
    if (get)
      nvshmemx_getmem_block(to + peer * bytes + offset, from + me * bytes + offset, share, peer);
    else
      nvshmemx_putmem_nbi_block(to + me * bytes + offset, from + peer * bytes + offset, share, peer);
  }
  __syncthreads();
  if (threadIdx.x == 0) nvshmem_quiet();
}

}  // namespace

int main(int argc, char** argv) {
  const size_t most = argc > 1 ? strtoull(argv[1], nullptr, 10) : size_t{4} << 20;
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
  char* to = static_cast<char*>(nvshmem_malloc(most * n));
  char* from = static_cast<char*>(nvshmem_malloc(most * n));
  float* mine = static_cast<float*>(nvshmem_calloc(1, sizeof(float)));
  float* largest = static_cast<float*>(nvshmem_calloc(1, sizeof(float)));
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  if (me == 0) printf("pattern,pes,ctas,threads,bytes,GBps,min,max\n");
  auto row = [&](const char* pattern, const Peers& peers, int busiest, int ctas, size_t bytes, bool get) {
    const int threads = 512, rounds = bytes >= (1 << 20) ? 4 : 16;
    std::vector<double> all;
    for (int i = 0; i < kRepetitions; ++i) {
      nvshmemx_barrier_all_on_stream(stream);
      CUDA_CHECK(cudaEventRecord(begin, stream));
      move<<<ctas, threads, 0, stream>>>(to, from, bytes, peers, get, rounds);
      CUDA_CHECK(cudaEventRecord(end, stream));
      CUDA_CHECK(cudaEventSynchronize(end));
      float ms = 0;
      CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
      if (peers.count == 0) ms = 0;
      CUDA_CHECK(cudaMemcpyAsync(mine, &ms, sizeof ms, cudaMemcpyHostToDevice, stream));
      nvshmemx_float_max_reduce_on_stream(NVSHMEM_TEAM_WORLD, largest, mine, 1, stream);
      CUDA_CHECK(cudaMemcpyAsync(&ms, largest, sizeof ms, cudaMemcpyDeviceToHost, stream));
      CUDA_CHECK(cudaStreamSynchronize(stream));
      all.push_back(static_cast<double>(bytes / (ctas / busiest) * (ctas / busiest)) * busiest * rounds / ms / 1e6);
    }
    std::sort(all.begin(), all.end());
    if (me == 0)
      printf("%s,%d,%d,%d,%zu,%.3f,%.3f,%.3f\n", pattern, n, ctas, threads, bytes, all[all.size() / 2], all.front(),
             all.back());
    fflush(stdout);
  };
  for (bool get : {false, true})
    for (size_t bytes : {size_t{65536}, most})
      for (int ctas : {12, 60}) {
        char name[40];
        auto named = [&](const char* what, int k) {
          return snprintf(name, sizeof name, "%s_%s_%d", get ? "get" : "put", what, k), name;
        };
        for (int k = 1; k < n; ++k) {  // PE 0 with k others
          Peers peers{};
          if (me == 0)
            for (int p = 1; p <= k; ++p) peers.pe[peers.count++] = p;
          row(named("one_to", k), peers, k, ctas, bytes, get);
        }
        for (int k = 1; k < n; ++k) {  // k others with PE 0
          Peers peers{};
          if (me >= 1 && me <= k) peers.pe[peers.count++] = 0;
          row(named("to_one", k), peers, 1, ctas, bytes, get);
        }
        for (int k = 1; k < n; ++k) {
          Peers peers{};
          peers.pe[peers.count++] = (me + k) % n;
          row(named("shift", k), peers, 1, ctas, bytes, get);
        }
        Peers peers{};
        for (int k = 1; k < n; ++k) peers.pe[peers.count++] = (me + k) % n;
        row(named("all_to_all", n), peers, n - 1, ctas, bytes, get);
      }
  nvshmem_barrier_all();
  nvshmem_finalize();
  return 0;
}
