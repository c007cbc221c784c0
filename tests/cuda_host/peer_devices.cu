// Several devices in one program: copies between them, kernels that use a peer's memory.
#include "check.hpp"

__global__ void fill(int* p, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = value + i;
}
__global__ void add_from(int* to, const int* from, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] += from[i];
}

int main() {
  constexpr int kCount = 1000;
  constexpr size_t kBytes = kCount * sizeof(int);
  int devices = 0, can = 0;
  WORKS(cudaGetDeviceCount(&devices));
  if (devices < 2) return finish();
  WORKS(cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 1);
  int *first, *second, device = -1;
  WORKS(cudaSetDevice(1));
  WORKS(cudaMalloc(&second, kBytes));
  fill<<<1, 256>>>(second, kCount, 100);
  WORKS(cudaDeviceSynchronize());
  WORKS(cudaSetDevice(0));
  WORKS(cudaMalloc(&first, kBytes));
  cudaPointerAttributes a;
  WORKS(cudaPointerGetAttributes(&a, second));
  CHECK(a.type == cudaMemoryTypeDevice && a.device == 1);
  WORKS(cudaPointerGetAttributes(&a, first));
  CHECK(a.device == 0);

  std::vector<int> host(kCount);
  WORKS(cudaMemcpyPeer(first, 0, second, 1, kBytes));
  WORKS(cudaMemcpy(host.data(), first, kBytes, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 100 && host[kCount - 1] == 100 + kCount - 1);

  WORKS(cudaDeviceEnablePeerAccess(1, 0));
  GIVES(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
  add_from<<<1, 256>>>(first, second, kCount);
  cudaStream_t stream;
  WORKS(cudaStreamCreate(&stream));
  WORKS(cudaMemcpyPeerAsync(second, 1, first, 0, kBytes, stream));
  WORKS(cudaMemcpyAsync(host.data(), second, kBytes, cudaMemcpyDefault, stream));
  WORKS(cudaStreamSynchronize(stream));
  CHECK(host[0] == 200 && host[5] == 210);
  WORKS(cudaDeviceDisablePeerAccess(1));
  GIVES(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));

  WORKS(cudaSetDevice(devices - 1));
  WORKS(cudaGetDevice(&device));
  CHECK(device == devices - 1);
  WORKS(cudaFree(first));
  WORKS(cudaFree(second));
  return finish();
}
