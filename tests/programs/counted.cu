// Virtual time of kernels that compute: printed in ns, so that a test can compare builds and ways to run.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__device__ float step(float x) { return x * 1.5f + 0.25f; }

// No thread can stop: it runs as a loop over the block's threads.
__global__ void smooth(float* to, const float* from, int n, int rounds) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float x = from[i];
    for (int k = 0; k < rounds; ++k) x = step(x);
    to[i] = x;
  }
}

__global__ void sum(float* to, const float* from, int n) {
  __shared__ float part[256];
  float x = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) x += from[i];
  part[threadIdx.x] = x;
  __syncthreads();
  for (int half = 128; half; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *to = part[0];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 4096, rounds = argc > 2 ? atoi(argv[2]) : 10;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  auto time = [&](auto launch) {
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    return ms * 1e6;
  };
  printf("smooth %.0f\n", time([&] { smooth<<<4, 256>>>(b, a, n, rounds); }));
  printf("sum %.0f\n", time([&] { sum<<<1, 256>>>(b, a, n); }));
  return 0;
}
