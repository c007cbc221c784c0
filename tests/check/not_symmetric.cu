// rule: sym.not-symmetric
// ends: 1
#include "pair.hpp"

constexpr int kCount = 64;

// A put into memory that only the caller's own GPU knows.
__global__ void send(int* dest, int* source) {
  nvshmem_int_put(dest, source, kCount, (nvshmem_my_pe() + 1) % nvshmem_n_pes());  // FIRST
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *data = p.zeroed<int>(kCount), *source = p.zeroed<int>(kCount), *own;
  cudaMalloc(&own, kCount * sizeof(int));  // SECOND
  LAUNCH(send, 1, p.repaired ? &data : &own, &source);
}
