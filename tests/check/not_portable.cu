// rule: sym.not-symmetric
// level: note
#include "pair.hpp"

constexpr int kCount = 64;

// Inside a node loads and stores reach any memory: a warning, since over a network it would be an error.
__global__ void fetch(int* into, int* from) {
  nvshmem_int_get(into, from, kCount, nvshmem_my_pe() ^ 1);  // FIRST
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *from = p.zeroed<int>(kCount), *into;
  cudaMalloc(&into, kCount * sizeof(int));  // SECOND
  if (p.repaired) nvshmemx_buffer_register(into, kCount * sizeof(int));
  LAUNCH(fetch, 1, &into, &from);
}
