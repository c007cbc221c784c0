// rule: coll.mismatch
// ends: 1
#include "pair.hpp"

// PE 0 allocates alone, while the others go to a barrier.
int main(int argc, char** argv) {
  Pair p(argc, argv);
  if (p.me == 0 || p.repaired) nvshmem_malloc(64);  // FIRST
  if (p.me != 0 || p.repaired) nvshmem_barrier_all();  // SECOND
}
