// histogram: all PEs count their values together; the bins are distributed over the PEs.
//
//   shmemu run -n 4 ./histogram [bins per PE = 32] [values per PE and bin = 4] [repetitions = 2]
//
// First each PE counts its own values with CUDA atomics in its own memory (many threads, few bins: fast). Then it adds
// each non-zero count to the PE that owns the bin with an NVSHMEM atomic: one per bin, not one per value. Adding
// commutes, so no order is needed, only completion at the end. Any number of PEs. Prints the time of the fastest
// repetition on PE 0.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                         \
  do {                                                                           \
    cudaError_t e = (call);                                                      \
    if (e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      nvshmem_global_exit(1);                                                    \
    }                                                                            \
  } while (0)

// The values: squares modulo the number of bins. Not uniform, yet the right answer is easy to compute.
__host__ __device__ int value_of(size_t i, size_t bins) { return static_cast<int>(i % bins * (i % bins) % bins); }

__global__ void count_local(unsigned* local, size_t values, size_t bins, size_t first) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < values; i += threads)
    atomicAdd(&local[value_of(first + i, bins)], 1u);
}

__global__ void add_to_owners(unsigned* mine, const unsigned* local, size_t bins, int bins_per_pe) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t b = blockIdx.x * blockDim.x + threadIdx.x; b < bins; b += threads)
    if (local[b] != 0) nvshmem_uint_atomic_add(&mine[b % bins_per_pe], local[b], static_cast<int>(b / bins_per_pe));
}

int main(int argc, char** argv) {
  const int bins_per_pe = argc > 1 ? atoi(argv[1]) : 32, per_bin = argc > 2 ? atoi(argv[2]) : 4;
  const int repetitions = argc > 3 ? atoi(argv[3]) : 2;
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
  const size_t bins = static_cast<size_t>(bins_per_pe) * n, values = bins * per_bin;

  unsigned* mine = static_cast<unsigned*>(nvshmem_calloc(bins_per_pe, sizeof(unsigned)));  // symmetric: others add here
  unsigned* local;                                                                         // private: only we touch it
  CUDA_CHECK(cudaMalloc(&local, bins * sizeof(unsigned)));
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  float fastest_ms = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {  // `mine` keeps counting
    CUDA_CHECK(cudaMemsetAsync(local, 0, bins * sizeof(unsigned), stream));
    CUDA_CHECK(cudaEventRecord(begin, stream));
    count_local<<<4, 128, 0, stream>>>(local, values, bins, static_cast<size_t>(me));
    add_to_owners<<<2, 64, 0, stream>>>(mine, local, bins, bins_per_pe);
    nvshmemx_barrier_all_on_stream(stream);  // completes our atomics everywhere and waits for everybody else's
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(end, stream));
    CUDA_CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    fastest_ms = repetition == 0 ? ms : std::min(fastest_ms, ms);
  }

  std::vector<unsigned> host(bins_per_pe);
  CUDA_CHECK(cudaMemcpyAsync(host.data(), mine, bins_per_pe * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));

  // Every PE has `per_bin` whole periods of the value sequence.
  std::vector<unsigned> expect(bins_per_pe);
  for (size_t i = 0; i < bins; ++i)
    if (value_of(i, bins) / bins_per_pe == me) expect[value_of(i, bins) % bins_per_pe] += n * per_bin * repetitions;
  int bad = 0;
  for (int b = 0; b < bins_per_pe; ++b)
    if (host[b] != expect[b] && bad++ == 0)
      fprintf(stderr, "PE %d: bin %d counts %u, expected %u\n", me, me * bins_per_pe + b, host[b], expect[b]);
  if (bad == 0 && me == 0)
    printf("histogram ok: %d PEs, %zu values in %zu bins, %.3f us\n", n, values * n, bins, fastest_ms * 1000);
  CUDA_CHECK(cudaFree(local));
  nvshmem_barrier_all();
  nvshmem_free(mine);
  nvshmem_finalize();
  return bad == 0 ? 0 : 1;
}
