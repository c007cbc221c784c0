// The last PE stores to address 0x10.
#include "check.hpp"

__global__ void store(int* at) { *at = 1; }

int main() {
  int me = start();
  if (me == nvshmem_n_pes() - 1) store<<<1, 1>>>(reinterpret_cast<int*>(0x10));
  CHECK_CUDA(cudaDeviceSynchronize());
  nvshmem_barrier_all();
  return 0;
}
