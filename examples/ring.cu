// ring: a message goes round all PEs, and each adds its number to every element.
//
//   shmemu run -n 4 ./ring [elements = 1024] [laps = 3]
//
// Shows the basic pattern of one-sided communication: put the data, fence, raise a signal; the receiver waits for the
// signal, never for the data. Any number of PEs (one PE sends to itself).
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
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

// The whole block sends `data` to `to` and then sets the receiver's signal to `lap`.
__device__ void pass_on(int* data, size_t elements, uint64_t* signal, uint64_t lap, int to) {
  nvshmemx_int_put_block(data, data, elements, to);
  __syncthreads();
  if (threadIdx.x == 0) {
    nvshmem_fence();  // to this PE, the data goes before the signal; without it the signal may overtake
    nvshmemx_signal_op(signal, lap, NVSHMEM_SIGNAL_SET, to);
  }
}

// Thread 0 waits, the barrier then lets the others go on. The threadfence: `data` was read before in this kernel, and
// release 3.3 only polls the signal here, so the SM's cache could still serve the older lap.
__device__ void wait_for(uint64_t* signal, uint64_t lap) {
  if (threadIdx.x == 0) {
    nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, lap);
    __threadfence_system();
  }
  __syncthreads();
}

__global__ void ring(int* data, size_t elements, uint64_t* signal, int laps) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
  for (int lap = 1; lap <= laps; ++lap) {
    if (me == 0) pass_on(data, elements, signal, lap, right);  // PE 0 starts the lap …
    wait_for(signal, lap);
    for (size_t i = threadIdx.x; i < elements; i += blockDim.x) data[i] += me;
    __syncthreads();
    if (me != 0) pass_on(data, elements, signal, lap, right);  // … and the others hand the message on
  }
}

int main(int argc, char** argv) {
  size_t elements = argc > 1 ? strtoull(argv[1], nullptr, 10) : 1024;
  int laps = argc > 2 ? atoi(argv[2]) : 3;
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes();

  // calloc: the signal must start at 0 on every PE before anyone can send. A memset after malloc would come too late.
  int* data = static_cast<int*>(nvshmem_calloc(elements, sizeof(int)));
  uint64_t* signal = static_cast<uint64_t*>(nvshmem_calloc(1, sizeof(uint64_t)));

  // Kernels that wait for other PEs must be launched collectively: all of them run at the same time.
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  void* args[] = {&data, &elements, &signal, &laps};
  if (nvshmemx_collective_launch(reinterpret_cast<const void*>(ring), dim3(1), dim3(128), args, 0, stream) != 0) {
    fprintf(stderr, "PE %d: collective launch failed\n", me);
    nvshmem_global_exit(1);
  }
  CUDA_CHECK(cudaStreamSynchronize(stream));

  // Every complete lap adds 0 + 1 + … + (n - 1). PE `me` last held the message when PEs 1 … me had added in this lap,
  // PE 0 after all of them.
  const int lap_sum = n * (n - 1) / 2, expect = me == 0 ? laps * lap_sum : (laps - 1) * lap_sum + me * (me + 1) / 2;
  std::vector<int> host(elements);
  CUDA_CHECK(cudaMemcpy(host.data(), data, elements * sizeof(int), cudaMemcpyDeviceToHost));
  int bad = 0;
  for (size_t i = 0; i < elements; ++i)
    if (host[i] != expect && bad++ == 0)
      fprintf(stderr, "PE %d: element %zu is %d, expected %d\n", me, i, host[i], expect);
  if (bad == 0 && me == 0) printf("ring ok: %d PEs, %zu elements, %d laps\n", n, elements, laps);
  nvshmem_barrier_all();
  nvshmem_free(signal);
  nvshmem_free(data);
  nvshmem_finalize();
  return bad == 0 ? 0 : 1;
}
