// run: -n 2
// ignored by: 3.3.9, 3.5
#include "../programs/program.hpp"

int main() {
  const Pe pe = start(2);
  long* word = symmetric<long>();
  nvshmem_barrier_all();
  nvshmem_long_atomic_add(word, 5, 1 - pe.me);
  nvshmem_barrier_all();
  return finish("atomics_from_host", nvshmem_long_atomic_fetch(word, pe.me) == 5);
}
