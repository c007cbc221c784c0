// rule: coll.participation
// ends: 4
#include "pair.hpp"

__global__ void all(bool repaired) {
  if (repaired || nvshmem_my_pe() + 1 < nvshmem_n_pes()) nvshmem_barrier_all();  // FIRST
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  LAUNCH(all, 1, &p.repaired);
  cudaDeviceSynchronize();
  if (p.repaired || p.me + 1 < p.n) return 0;
  exit(0);  // without a word to the others
}
