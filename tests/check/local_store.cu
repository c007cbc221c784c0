// rule: order.local-race
#include "pair.hpp"

constexpr int kCount = 64;

// Each step reads the right neighbour's data and then changes its own.
__global__ void step(int* data, int* seen) { nvshmem_int_get(seen, data, kCount, (nvshmem_my_pe() + 1) % nvshmem_n_pes()); }  // FIRST
__global__ void change(int* data, int* seen, int* sum) {
  data[threadIdx.x] += 1;  // SECOND
  atomicAdd(sum, seen[threadIdx.x]);
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *data = p.zeroed<int>(kCount), *seen = p.zeroed<int>(kCount), *sum;
  cudaMalloc(&sum, sizeof(int));
  for (int i = 0; i < 2; ++i) {
    LAUNCH(step, 1, &data, &seen);
    cudaDeviceSynchronize();
    if (p.repaired) nvshmem_barrier_all();
    change<<<1, kCount>>>(data, seen, sum);
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
  }
}
