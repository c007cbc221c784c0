// SB: PE 0 writes x in PE 1 and reads y at home; PE 1 writes y in PE 0 and reads x at home. Needs 2 PEs.
//
//   store_buffer none | fence | quiet
//
// Prints "outcome y x" (what PE 0 and PE 1 read). 0 0 is allowed without quiet: a fence orders operations to one PE, it
// does not wait for them. With quiet on both sides each write has arrived before the read, so 0 0 is forbidden.
#include "litmus.hpp"

__global__ void store_buffer(int* x, int* y, int* seen, Between b) {
  const int me = nvshmem_my_pe();
  nvshmem_barrier_all();  // begin together
  if (me > 1) return;
  nvshmem_int_p(me == 0 ? x : y, 1, 1 - me);
  order(b);
  seen[0] = look(me == 0 ? y : x);
}

int main(int argc, char** argv) {
  const Between b = between(argc, argv);
  start(2);
  int *x = symmetric<int>(), *y = symmetric<int>(), *seen = symmetric<int>();
  together(store_buffer, 1, 1, x, y, seen, b);
  print_outcome<1>(seen, {0, 1});
  return 0;
}
