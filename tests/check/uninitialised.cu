// rule: sym.uninitialised
#include "pair.hpp"

constexpr int kCount = 64;

__global__ void fetch(int* into, int* from) {
  nvshmem_int_get(into, from, kCount, (nvshmem_my_pe() + 1) % nvshmem_n_pes());  // SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  auto* from = static_cast<int*>(nvshmem_malloc(kCount * sizeof(int)));  // FIRST
  int* into = p.zeroed<int>(kCount);
  if (p.repaired) cudaMemset(from, 0, kCount * sizeof(int));
  cudaDeviceSynchronize();
  nvshmem_barrier_all();
  LAUNCH(fetch, 1, &into, &from);
}
