// A kernel spins on pinned host memory until the host writes it; then the host spins until the kernel answers.
#include "program.hpp"

__global__ void serve(volatile int* request, volatile int* answer) {
  for (int i = 1; i <= 3; ++i) {
    while (*request != i) {
    }
    *answer = i * i;
    __threadfence_system();
  }
}

int main() {
  start();
  int *host, *device;
  CUDA_CHECK(cudaHostAlloc(&host, 512, cudaHostAllocMapped));
  memset(host, 0, 512);
  CUDA_CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0));
  serve<<<1, 1>>>(device, device + 64);
  volatile int *request = host, *answer = host + 64;
  bool good = true;
  for (int i = 1; i <= 3; ++i) {
    *request = i;
    while (*answer == (i - 1) * (i - 1)) {
    }
    good = good && *answer == i * i;
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  return finish("wake_by_host_write", good);
}
