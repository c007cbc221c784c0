// IRIW: PE 0 writes x and PE 1 writes y, each into both readers, PE 2 and PE 3. PE 2 waits for its x and then reads its
// y; PE 3 waits for its y and then reads its x. Needs 4 PEs.
//
//   iriw none | fence | quiet
//
// Prints "outcome x y y x" (PE 2, PE 3). 1 0 1 0, readers that disagree about the order of the two writes, is allowed
// in every variant: each reader has copies of its own, and nobody orders writes of different PEs.
#include "litmus.hpp"

__global__ void iriw(int* x, int* y, int* seen, Between b) {
  const int me = nvshmem_my_pe();
  nvshmem_barrier_all();
  if (me < 2) {
    int* mine = me == 0 ? x : y;
    nvshmem_int_p(mine, 1, 2 + me);  // the nearer reader first: PE 0 → PE 2, PE 1 → PE 3
    order(b);
    nvshmem_int_p(mine, 1, 3 - me);
  } else if (me < 4) {
    int *first = me == 2 ? x : y, *second = me == 2 ? y : x;
    nvshmem_int_wait_until(first, NVSHMEM_CMP_EQ, 1);
    seen[0] = 1;
    seen[1] = look(second);
  }
}

int main(int argc, char** argv) {
  const Between b = between(argc, argv);
  start(4);
  int *x = symmetric<int>(), *y = symmetric<int>(), *seen = symmetric<int>(2);
  together(iriw, 1, 1, x, y, seen, b);
  print_outcome<2>(seen, {2, 3});
  return 0;
}
