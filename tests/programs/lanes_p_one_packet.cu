// The 32 lanes of a warp store to 32 neighbouring ints of the right PE: one packet of 128 bytes on NVLink, one work
// request on a NIC. The driver checks that in the timeline; here only the data.
#include "program.hpp"

__global__ void lanes(int* dest, int right) { nvshmem_int_p(&dest[threadIdx.x], 100 * right + threadIdx.x, right); }

int main() {
  const Pe pe = start();
  int* dest = symmetric<int>(32);
  lanes<<<1, 32>>>(dest, (pe.me + 1) % pe.n);
  CUDA_CHECK(cudaDeviceSynchronize());
  nvshmem_barrier_all();
  int host[32], bad = 0;
  CUDA_CHECK(cudaMemcpy(host, dest, sizeof(host), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) bad += host[i] != 100 * pe.me + i;
  return finish("lanes_p_one_packet", bad == 0);
}
