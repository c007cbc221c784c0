// run: -n 2 -p hgx-h200 --pes-per-node 1
// refused by: 3.3.9, 3.5
#include "../programs/program.hpp"

int main() {
  const Pe pe = start(2);
  int *dest = symmetric<int>(8), *back = symmetric<int>(4), *source = symmetric<int>(4);
  for (int i = 0; i < 4; ++i) source[i] = 10 * pe.me + i + 1;
  nvshmem_barrier_all();
  nvshmem_int_iput(dest, source, 2, 1, 4, 1 - pe.me);
  nvshmem_barrier_all();
  nvshmemx_int_iget_on_stream(back, dest, 1, 2, 4, 1 - pe.me, nullptr);
  CUDA_CHECK(cudaDeviceSynchronize());
  bool good = true;
  for (int i = 0; i < 4; ++i) good &= dest[2 * i] == 10 * (1 - pe.me) + i + 1 && back[i] == 10 * pe.me + i + 1;
  return finish("strided_from_host", good);
}
