// rule: order.missing-fence
#include "pair.hpp"

constexpr int kCount = 64;

__global__ void send(int* data, int* source) {
  nvshmem_int_put(data, source, kCount, (nvshmem_my_pe() + 1) % nvshmem_n_pes());  // FIRST
}
__global__ void use(int* data, int* sum) { atomicAdd(sum, data[threadIdx.x]); }  // SECOND

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *data = p.zeroed<int>(kCount), *source = p.zeroed<int>(kCount);
  int* sum;
  cudaMalloc(&sum, sizeof(int));
  LAUNCH(send, 1, &data, &source);
  cudaDeviceSynchronize();
  if (p.repaired)
    nvshmem_barrier_all();
  else
    nvshmem_sync_all();
  use<<<1, kCount>>>(data, sum);
}
