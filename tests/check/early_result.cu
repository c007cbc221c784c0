// rule: order.missing-quiet
#include "pair.hpp"

constexpr int kCount = 64;

__global__ void fetch(int* into, int* from, bool repaired, int* out) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
  nvshmem_int_get_nbi(into, from, kCount, right);  // FIRST
  if (repaired) nvshmem_quiet();
  *out = into[5];  // SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *into = p.zeroed<int>(kCount), *from = p.zeroed<int>(kCount);
  int* out;
  cudaMalloc(&out, sizeof(int));
  LAUNCH(fetch, 1, &into, &from, &p.repaired, &out);
}
