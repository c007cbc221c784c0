// ring_allreduce: every PE ends with the element-wise sum of all PEs' vectors.
//
//   shmemu run -n 8 ./ring_allreduce [elements per chunk = 256] [repetitions = 2]
//
// The vector has one chunk per PE. In n - 1 steps each PE sends a partial sum to its right neighbour and adds what
// comes from the left (reduce-scatter); in n - 1 more steps the finished chunks go round (all-gather). Each PE sends 2
// (n - 1) / n of the vector, whatever n is. One block; data and signal travel together. Any number of PEs. Prints the
// time of the fastest repetition's kernel on PE 0.
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

// One thread waits for the whole block. The threadfence: release 3.3 only polls here, and the SM's cache may hold an
// older copy of what the signal announces.
__device__ void wait_for(uint64_t* signal, uint64_t round) {
  if (threadIdx.x == 0) {
    nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, round);
    __threadfence_system();
  }
  __syncthreads();
}

// signal[0 … n-2]: reduce-scatter step s has arrived in staging[s]; signal[n-1 … 2n-3]: all-gather step s is in data.
// Every step has a slot and a signal of its own, so nobody can overwrite what is not yet read. `round` counts launches:
// signals grow and are never reset.
__global__ void all_reduce(float* data, float* staging, uint64_t* signal, size_t chunk, uint64_t round) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;

  for (int s = 0; s < n - 1; ++s) {
    const int send = (me - s + n) % n, take = (me - s - 1 + n) % n;
    nvshmemx_float_put_signal_block(staging + s * chunk, data + send * chunk, chunk, signal + s, round,
                                    NVSHMEM_SIGNAL_SET, right);
    wait_for(signal + s, round);
    for (size_t i = threadIdx.x; i < chunk; i += blockDim.x) data[take * chunk + i] += staging[s * chunk + i];
    __syncthreads();  // the next step sends the chunk that was just summed
  }

  // Now chunk me + 1 is complete here. What the neighbour's copy of a chunk held was sent long ago: overwrite it.
  for (int s = 0; s < n - 1; ++s) {
    const int send = (me + 1 - s + n) % n;
    uint64_t* arrived = signal + (n - 1) + s;
    nvshmemx_float_put_signal_block(data + send * chunk, data + send * chunk, chunk, arrived, round, NVSHMEM_SIGNAL_SET,
                                    right);
    wait_for(arrived, round);
  }
}

int main(int argc, char** argv) {
  size_t chunk = argc > 1 ? strtoull(argv[1], nullptr, 10) : 256;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 2;
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
  const size_t elements = chunk * n;

  float* data = static_cast<float*>(nvshmem_malloc(elements * sizeof(float)));
  float* staging = static_cast<float*>(nvshmem_malloc(elements * sizeof(float)));
  uint64_t* signal = static_cast<uint64_t*>(nvshmem_calloc(2 * n, sizeof(uint64_t)));
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));

  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));

  std::vector<float> host(elements);
  float fastest_ms = 0;
  int bad = 0;
  for (uint64_t round = 1; round <= static_cast<uint64_t>(repetitions); ++round) {
    for (size_t i = 0; i < elements; ++i) host[i] = static_cast<float>(me + i % 7 + round);
    CUDA_CHECK(cudaMemcpyAsync(data, host.data(), elements * sizeof(float), cudaMemcpyHostToDevice, stream));
    nvshmemx_barrier_all_on_stream(stream);  // nobody sends before everybody's input is in place
    CUDA_CHECK(cudaEventRecord(begin, stream));
    void* args[] = {&data, &staging, &signal, &chunk, &round};
    if (nvshmemx_collective_launch(reinterpret_cast<const void*>(all_reduce), dim3(1), dim3(256), args, 0, stream)) {
      fprintf(stderr, "PE %d: collective launch failed\n", me);
      nvshmem_global_exit(1);
    }
    CUDA_CHECK(cudaEventRecord(end, stream));
    CUDA_CHECK(cudaMemcpyAsync(host.data(), data, elements * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    fastest_ms = round == 1 ? ms : std::min(fastest_ms, ms);
    for (size_t i = 0; i < elements; ++i) {  // small integers: float sums are exact
      const float expect = static_cast<float>(n * (n - 1) / 2 + n * (i % 7 + round));
      if (host[i] != expect && bad++ == 0)
        fprintf(stderr, "PE %d, round %llu: element %zu is %g, expected %g\n", me,
                static_cast<unsigned long long>(round), i, host[i], expect);
    }
  }
  if (bad == 0 && me == 0)
    printf("ring_allreduce ok: %d PEs, %zu elements, %d rounds, %.3f us\n", n, elements, repetitions,
           fastest_ms * 1000);
  nvshmem_barrier_all();
  nvshmem_free(signal);
  nvshmem_free(staging);
  nvshmem_free(data);
  nvshmem_finalize();
  return bad == 0 ? 0 : 1;
}
