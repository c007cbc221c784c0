// run: -n 2 -p hgx-h200 --pes-per-node 1
// refused by: 3.3.9, 3.5
#include "../programs/program.hpp"

int main() {
  const Pe pe = start(2);
  int* word = symmetric<int>();
  *word = 7 + pe.me;
  nvshmem_barrier_all();
  int got = nvshmem_int_g(word, 1 - pe.me), later = nvshmemx_int_g_on_stream(word, 1 - pe.me, nullptr);
  return finish("g_from_host", got == 8 - pe.me && later == got);
}
