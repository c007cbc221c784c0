// hello: every PE writes its number into its right neighbour's memory, from inside a kernel.
//
//   shmemu cc hello.cu -o hello && shmemu run -n 4 ./hello
//
// The four steps of every NVSHMEM program: start, allocate symmetric memory, communicate, check. Any number of PEs.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <cstdio>

#define CUDA_CHECK(call)                                                         \
  do {                                                                           \
    cudaError_t e = (call);                                                      \
    if (e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      nvshmem_global_exit(1);                                                    \
    }                                                                            \
  } while (0)

// One thread: store an int at address `box` of PE `right`. The address is ours; the library finds the peer's copy.
__global__ void greet(int* box, int right) { nvshmem_int_p(box, nvshmem_my_pe(), right); }

int main() {
  nvshmem_init();
  // A PE (processing element) is one process with one GPU. Team NODE numbers the PEs of one machine: 0, 1, 2 …
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes();

  // Symmetric: all PEs allocate together, and the object has the same place in every PE's heap.
  int* box = static_cast<int*>(nvshmem_malloc(sizeof(int)));
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));

  greet<<<1, 1, 0, stream>>>(box, (me + 1) % n);
  // A barrier over all PEs, as a command of the stream: afterwards all puts have arrived everywhere.
  nvshmemx_barrier_all_on_stream(stream);

  int from = -1;
  CUDA_CHECK(cudaMemcpyAsync(&from, box, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  printf("PE %d of %d was greeted by PE %d\n", me, n, from);

  const bool good = from == (me + n - 1) % n;
  if (!good) fprintf(stderr, "PE %d: wrong greeting %d\n", me, from);
  if (good && me == 0) printf("hello ok\n");
  nvshmem_free(box);
  nvshmem_finalize();
  return good ? 0 : 1;
}
