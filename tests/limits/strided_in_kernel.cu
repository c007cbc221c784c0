// run: -n 2 -p hgx-h200 --pes-per-node 1
// refused by: 3.3.9, 3.5
#include "../programs/program.hpp"

__global__ void send(int* dest, const int* source, int right) { nvshmem_int_iput(dest, source, 2, 1, 4, right); }

int main() {
  const Pe pe = start(2);
  int *dest = symmetric<int>(8), *source = symmetric<int>(4);
  for (int i = 0; i < 4; ++i) source[i] = 10 * pe.me + i + 1;
  nvshmem_barrier_all();
  together(send, 1, 1, dest, source, 1 - pe.me);
  nvshmem_barrier_all();
  bool good = true;
  for (int i = 0; i < 4; ++i) good &= dest[2 * i] == 10 * (1 - pe.me) + i + 1 && dest[2 * i + 1] == 0;
  return finish("strided_in_kernel", good);
}
