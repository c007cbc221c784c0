// Two PEs exchange a row each iteration and compute for a while: element by element (p), or with one put.
//   halo_elements p|put ELEMENTS ITERATIONS MICROSECONDS     prints the virtual µs of one iteration, PE 0
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void exchange(float* to, const float* row, size_t count, bool bulk, int peer) {
  if (bulk) {
    nvshmemx_putmem_nbi_block(to, row, count * sizeof(float), peer);
  } else {
    for (size_t i = threadIdx.x; i < count; i += blockDim.x) nvshmem_float_p(to + i, row[i], peer);
  }
}

// Stands for the stencil.
__global__ void compute(long long cycles) {
  for (long long since = clock64(); clock64() - since < cycles;) {}
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  bool bulk = !strcmp(argv[1], "put");
  size_t count = strtoull(argv[2], nullptr, 0);
  int iterations = atoi(argv[3]);
  nvshmem_init();
  cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE));
  int me = nvshmem_my_pe(), khz = 0;
  cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
  float *row = (float*)nvshmem_malloc(count * sizeof(float)), *halo = (float*)nvshmem_calloc(count, sizeof(float));
  float* host = (float*)malloc(count * sizeof(float));
  for (size_t i = 0; i < count; ++i) host[i] = me + i * 0.5f;
  cudaMemcpy(row, host, count * sizeof(float), cudaMemcpyHostToDevice);
  cudaEvent_t start, stop;
  cudaEventCreate(&start), cudaEventCreate(&stop);
  nvshmem_barrier_all();
  cudaEventRecord(start);
  for (int i = 0; i < iterations; ++i) {
    compute<<<1, 1>>>(atoll(argv[4]) * khz / 1000);
    exchange<<<1, 1024>>>(halo, row, count, bulk, !me);
    nvshmemx_barrier_all_on_stream(0);
  }
  cudaEventRecord(stop);
  cudaDeviceSynchronize();
  cudaMemcpy(host, halo, count * sizeof(float), cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < count; ++i)
    if (host[i] != !me + i * 0.5f) return fprintf(stderr, "element %zu did not arrive\n", i), 1;
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  if (me == 0) printf("%.3f\n", ms * 1e3 / iterations);
  nvshmem_finalize();
  return 0;
}
