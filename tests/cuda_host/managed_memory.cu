// Managed memory and managed variables: host and kernels use the same addresses.
#include "check.hpp"

__managed__ int total = 1;
__global__ void sum(const int* p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&total, p[i]);
}

int main() {
  constexpr int kCount = 256;
  int* p = nullptr;
  WORKS(cudaMallocManaged(&p, kCount * sizeof(int)));
  for (int i = 0; i < kCount; ++i) p[i] = i;
  cudaStream_t stream;
  WORKS(cudaStreamCreate(&stream));
#if CUDART_VERSION < 13000
  WORKS(cudaMemAdvise(p, kCount * sizeof(int), cudaMemAdviseSetReadMostly, 0));
  WORKS(cudaMemAdvise(p, kCount * sizeof(int), cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
  WORKS(cudaMemPrefetchAsync(p, kCount * sizeof(int), 0, stream));
  int* device = nullptr;
  WORKS(cudaMalloc(&device, 64));
  GIVES(cudaErrorInvalidValue, cudaMemPrefetchAsync(device, 64, 0, stream));
  GIVES(cudaErrorInvalidDevice, cudaMemPrefetchAsync(p, 64, 4096, stream));
  GIVES(cudaErrorInvalidValue, cudaMemAdvise(device, 64, cudaMemAdviseSetReadMostly, 0));
  GIVES(cudaErrorInvalidDevice, cudaMemAdvise(p, 64, cudaMemAdviseSetPreferredLocation, 4096));
#endif
  sum<<<1, 64, 0, stream>>>(p, kCount);
  WORKS(cudaStreamSynchronize(stream));
  CHECK(total == 1 + kCount * (kCount - 1) / 2);
  total = 5;
  sum<<<1, 64>>>(p, 3);
  WORKS(cudaDeviceSynchronize());
  CHECK(total == 8);

  cudaPointerAttributes a;
  WORKS(cudaPointerGetAttributes(&a, p + 7));
  CHECK(a.type == cudaMemoryTypeManaged && a.devicePointer == p + 7 && a.hostPointer == p + 7);
  WORKS(cudaPointerGetAttributes(&a, &total));
  CHECK(a.type == cudaMemoryTypeManaged);

  // copies and fills see it as any other memory
  int back[4] = {};
  WORKS(cudaMemset(p, 0, 4 * sizeof(int)));
  WORKS(cudaDeviceSynchronize());
  CHECK(p[0] == 0 && p[3] == 0 && p[4] == 4);
  WORKS(cudaMemcpy(back, p + 2, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 0 && back[1] == 0 && back[2] == 4 && back[3] == 5);

  WORKS(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachGlobal));
  GIVES(cudaErrorInvalidValue, cudaStreamAttachMemAsync(0, p));
  GIVES(cudaErrorInvalidValue, cudaMallocManaged(&p, 64, 9));
  WORKS(cudaFree(p));
  WORKS(cudaMallocManaged(&p, 0));
  return finish();
}
