// run: -n 2
// refused by: 3.3.9
#include "row.hpp"

__global__ void send(float* dest, float* source, int right) {
  nvshmemx::tile_put_block<Row, Row, Whole, nvshmemx::PEER_PUSH_NBI>(row(source), row(dest), {}, {}, right, 0);
  nvshmem_quiet();
}

int main() {
  const Pe pe = start(2);
  float *dest = symmetric<float>(8), *source = symmetric<float>(8);
  for (int i = 0; i < 8; ++i) source[i] = static_cast<float>(i + pe.me);
  nvshmem_barrier_all();
  together(send, 1, 32, dest, source, 1 - pe.me);
  nvshmem_barrier_all();
  return finish("tile_transfers", dest[7] == static_cast<float>(8 - pe.me));
}
