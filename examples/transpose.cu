// transpose: B = A^T of a square matrix whose rows are distributed over the PEs.
//
//   shmemu run -n 4 ./transpose [rows per PE = 16] [repetitions = 2]
//
// PE p owns rows p t … (p + 1) t - 1 of A and of B (t rows per PE). Every PE needs a t x t tile from every other PE: an
// all-to-all. Each tile is transposed into a send buffer, the collective exchanges the tiles, and a last kernel puts
// the tiles side by side. All three are commands of one stream: the host only waits at the end. Any number of PEs.
// Prints the time of the fastest repetition on PE 0.
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

// send[q][c][r] = A[r][q t + c]: one block per destination PE q.
__global__ void pack(int* send, const int* a, int t, int n) {
  const int q = blockIdx.x;
  for (int i = threadIdx.x; i < t * t; i += blockDim.x) {
    const int r = i / t, c = i % t;
    send[(q * t + c) * t + r] = a[static_cast<size_t>(r) * n * t + q * t + c];
  }
}

// B[r][q t + c] = received[q][r][c]: one block per source PE q.
__global__ void unpack(int* b, const int* received, int t, int n) {
  const int q = blockIdx.x;
  for (int i = threadIdx.x; i < t * t; i += blockDim.x) {
    const int r = i / t, c = i % t;
    b[static_cast<size_t>(r) * n * t + q * t + c] = received[q * t * t + i];
  }
}

int main(int argc, char** argv) {
  const int t = argc > 1 ? atoi(argv[1]) : 16, repetitions = argc > 2 ? atoi(argv[2]) : 2;
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
  const size_t elements = static_cast<size_t>(t) * t * n, width = static_cast<size_t>(t) * n;

  // Only what the collective touches must be symmetric.
  int* send = static_cast<int*>(nvshmem_malloc(elements * sizeof(int)));
  int* received = static_cast<int*>(nvshmem_malloc(elements * sizeof(int)));
  int *a, *b;
  CUDA_CHECK(cudaMalloc(&a, elements * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&b, elements * sizeof(int)));

  // A[i][j] = i * width + j, so that B[i][j] must be j * width + i.
  std::vector<int> host(elements);
  for (size_t i = 0; i < elements; ++i) host[i] = static_cast<int>(me * elements + i);
  CUDA_CHECK(cudaMemcpy(a, host.data(), elements * sizeof(int), cudaMemcpyHostToDevice));

  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  int status = 0;
  float fastest_ms = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    nvshmemx_barrier_all_on_stream(stream);  // everybody has unpacked what the next exchange overwrites
    CUDA_CHECK(cudaEventRecord(begin, stream));
    pack<<<n, 128, 0, stream>>>(send, a, t, n);
    status |= nvshmemx_int_alltoall_on_stream(NVSHMEM_TEAM_WORLD, received, send, static_cast<size_t>(t) * t, stream);
    unpack<<<n, 128, 0, stream>>>(b, received, t, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(end, stream));
    CUDA_CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    fastest_ms = repetition == 0 ? ms : std::min(fastest_ms, ms);
  }
  CUDA_CHECK(cudaMemcpyAsync(host.data(), b, elements * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));

  int bad = status != 0;
  for (size_t i = 0; i < elements; ++i) {
    const size_t row = me * static_cast<size_t>(t) + i / width, column = i % width;
    const int expect = static_cast<int>(column * width + row);
    if (host[i] != expect && bad++ == 0)
      fprintf(stderr, "PE %d: B[%zu][%zu] is %d, expected %d\n", me, row, column, host[i], expect);
  }
  if (bad == 0 && me == 0)
    printf("transpose ok: %d PEs, matrix %zu x %zu, %.3f us\n", n, width, width, fastest_ms * 1000);
  CUDA_CHECK(cudaFree(a));
  CUDA_CHECK(cudaFree(b));
  nvshmem_barrier_all();
  nvshmem_free(received);
  nvshmem_free(send);
  nvshmem_finalize();
  return bad == 0 ? 0 : 1;
}
