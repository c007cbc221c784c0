// How long a load waits by who wrote the data last: one block of 256 threads adds one array to another, x[i] += y[i],
// after `writer` has written y. Row: writer,bytes,ns of one round of the loop.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 reader_probe.cu -o reader_probe && ./reader_probe
//
// Uses a second GPU of the node if there is one.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>
#include "cuda_check.hpp"

namespace {

constexpr int kThreads = 256, kRepetitions = 30;

__global__ void add(float* x, const float* y, size_t n, long long* cycles, unsigned* sm) {
  const long long begin = clock64();
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) x[i] += y[i];
  if (threadIdx.x == 0) {
    *cycles = clock64() - begin;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(*sm));
  }
}
__global__ void sum(const float* y, size_t n, float* out, long long* cycles) {
  const long long begin = clock64();
  float s = 0;
#pragma unroll 1
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) s += y[i];
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  out[threadIdx.x] = s;
}
__global__ void write(float* y, size_t n, float value) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x)
    y[i] = value;
}
// Goes through much memory, so that L2 holds nothing of the arrays.
__global__ void sweep(const float4* a, size_t n, float* out) {
  float s = 0;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x)
    s += a[i].x;
  if (s == 1234567.f) *out = s;
}

}  // namespace

int main() {
  int gpus = 0;
  CUDA_CHECK(cudaGetDeviceCount(&gpus));
  CUDA_CHECK(cudaSetDevice(0));
  const size_t most = 16 << 20;
  float *x, *y, *big, *out;
  long long* cycles;
  unsigned* sm;
  CUDA_CHECK(cudaMalloc(&x, most));
  CUDA_CHECK(cudaMalloc(&y, most));
  CUDA_CHECK(cudaMalloc(&big, size_t{1} << 30));
  CUDA_CHECK(cudaMalloc(&out, 4096));
  CUDA_CHECK(cudaMallocHost(&cycles, 8));
  CUDA_CHECK(cudaMallocHost(&sm, 4));
  CUDA_CHECK(cudaMemset(big, 0, size_t{1} << 30));
  std::vector<float> host(most / 4, 1.0f);
  const bool peer = gpus > 1;
  if (peer) {
    CUDA_CHECK(cudaSetDevice(1));
    CUDA_CHECK(cudaDeviceEnablePeerAccess(0, 0));
    CUDA_CHECK(cudaSetDevice(0));
  }
  int khz = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  for (int i = 0; i < 200; ++i) sweep<<<264, 256>>>(reinterpret_cast<float4*>(big), (size_t{1} << 30) / 16, out);
  CUDA_CHECK(cudaDeviceSynchronize());
  printf("kernel,writer,bytes,ns,sm\n");
  for (size_t n : {size_t{65536}, size_t{262144}, size_t{4} << 20, size_t{16} << 20}) {
    auto row = [&](const char* writer, const std::function<void()>& prepare) {
      for (int kernel = 0; kernel < 2; ++kernel) {
        std::vector<double> all;
        for (int i = 0; i < kRepetitions; ++i) {
          prepare();
          CUDA_CHECK(cudaDeviceSynchronize());
          if (kernel == 0)
            add<<<1, kThreads>>>(x, y, n / 4, cycles, sm);
          else
            sum<<<1, kThreads>>>(y, n / 4, out, cycles);
          CUDA_CHECK(cudaDeviceSynchronize());
          all.push_back(static_cast<double>(*cycles) / (n / 4 / kThreads) / khz * 1e6);
        }
        std::sort(all.begin(), all.end());
        printf("%s,%s,%zu,%.1f,%u\n", kernel ? "sum" : "add", writer, n, all[all.size() / 2], *sm);
      }
      fflush(stdout);
    };
    row("nobody", [] {});
    row("same_block", [&] { write<<<1, kThreads>>>(y, n / 4, 1); });
    row("all_sms", [&] { write<<<132, 256>>>(y, n / 4, 1); });
    row("both_by_all_sms", [&] { write<<<132, 256>>>(y, n / 4, 1), write<<<132, 256>>>(x, n / 4, 1); });
    row("copy_from_host", [&] { CUDA_CHECK(cudaMemcpy(y, host.data(), n, cudaMemcpyHostToDevice)); });
    row("copy_of_both", [&] {
      CUDA_CHECK(cudaMemcpy(y, host.data(), n, cudaMemcpyHostToDevice));
      CUDA_CHECK(cudaMemcpy(x, host.data(), n, cudaMemcpyHostToDevice));
    });
    row("not_in_l2", [&] { sweep<<<264, 256>>>(reinterpret_cast<float4*>(big), (size_t{1} << 30) / 16, out); });
    if (peer) {
      row("peer_gpu", [&] {
        CUDA_CHECK(cudaSetDevice(1));
        write<<<32, 256>>>(y, n / 4, 1);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaSetDevice(0));
      });
      row("peer_gpu_and_host", [&] {
        CUDA_CHECK(cudaMemcpy(x, host.data(), n, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaSetDevice(1));
        write<<<32, 256>>>(y, n / 4, 1);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaSetDevice(0));
      });
    }
  }
  return 0;
}
