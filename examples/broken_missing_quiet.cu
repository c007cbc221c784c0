// broken_missing_quiet: a mistake that NVLink often forgives and a network does not.
//
//   shmemu run -n 2 --delivery adverse --seed 1 ./broken_missing_quiet            sees stale data
//   shmemu run -n 2 --delivery adverse --seed 1 ./broken_missing_quiet repaired   never does
//
// Every PE sends a block of data and then a flag to its right neighbour. WRONG: nothing orders the flag after the data.
// A blocking put returns when the source may be reused, not when the data has arrived; data and flag may take different
// ways, and the flag may overtake. The receiver then reads what was there before.
//
// REPAIR: nvshmem_fence() between the two (same destination: order is enough), or nvshmem_quiet() (completion; needed
// when the flag goes to a third PE), or one put_signal instead of both. Any number of PEs.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <cstdio>
#include <cstring>

#define CUDA_CHECK(call)                                                         \
  do {                                                                           \
    cudaError_t e = (call);                                                      \
    if (e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      nvshmem_global_exit(1);                                                    \
    }                                                                            \
  } while (0)

constexpr int kElements = 4096;

__global__ void exchange(int* data, const int* source, int* flag, int* stale, bool repaired) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;

  nvshmemx_int_put_nbi_block(data, source, kElements, right);
  __syncthreads();
  if (threadIdx.x == 0) {
    if (repaired) nvshmem_fence();  // <- the line that is missing in the broken version
    nvshmem_int_p(flag, 1, right);
    nvshmem_int_wait_until(flag, NVSHMEM_CMP_EQ, 1);
  }
  __syncthreads();

  // The flag of the left neighbour is here. Is its data?
  for (int i = threadIdx.x; i < kElements; i += blockDim.x)
    if (static_cast<volatile int*>(data)[i] != left + 1) atomicAdd(stale, 1);
}

__global__ void fill(int* a, int value) {
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) a[i] = value;
}

int main(int argc, char** argv) {
  bool repaired = argc > 1 && strcmp(argv[1], "repaired") == 0;
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe();

  int* data = static_cast<int*>(nvshmem_calloc(kElements, sizeof(int)));
  int* source = static_cast<int*>(nvshmem_calloc(kElements, sizeof(int)));
  int* flag = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  int* stale = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  fill<<<1, 128, 0, stream>>>(source, me + 1);
  void* args[] = {&data, &source, &flag, &stale, &repaired};
  if (nvshmemx_collective_launch(reinterpret_cast<const void*>(exchange), dim3(1), dim3(128), args, 0, stream)) {
    fprintf(stderr, "PE %d: collective launch failed\n", me);
    nvshmem_global_exit(1);
  }
  int bad = 0;
  CUDA_CHECK(cudaMemcpyAsync(&bad, stale, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  if (bad != 0) fprintf(stderr, "PE %d: the flag came before the data: %d of %d elements stale\n", me, bad, kElements);
  if (bad == 0 && me == 0) printf("missing_quiet ok: no stale data seen by PE 0 this time\n");
  nvshmem_barrier_all();
  nvshmem_finalize();
  return bad == 0 ? 0 : 1;
}
