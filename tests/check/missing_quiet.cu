// rule: order.missing-quiet
#include "pair.hpp"

__global__ void read_back(int* data, bool repaired, int* out) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
  nvshmem_int_p(data, me, right);  // FIRST
  if (repaired) nvshmem_quiet();
  *out = nvshmem_int_g(data, right);  // SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int* data = p.zeroed<int>(1);
  int* out;
  cudaMalloc(&out, sizeof(int));
  LAUNCH(read_back, 1, &data, &p.repaired, &out);
}
