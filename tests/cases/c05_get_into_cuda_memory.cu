// A get into memory of the ordinary device allocator (pytorch issue 195370). `right`: the buffer is registered.
#include "../check/pair.hpp"

__global__ void fetch(int* into, int* from) { nvshmem_int_get(into, from, 16, (nvshmem_my_pe() + 1) % nvshmem_n_pes()); }

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *from = p.zeroed<int>(16), *into;
  cudaMalloc(&into, 64);
  if (p.repaired) nvshmemx_buffer_register(into, 64);
  LAUNCH(fetch, 1, &into, &from);
}
