// rule: order.overlap
#include "pair.hpp"

constexpr int kCount = 10;

__global__ void twice(int* data, int* zeros, int* ones, bool repaired) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
  nvshmem_int_put(data, zeros, kCount, right);  // FIRST
  if (repaired) nvshmem_fence();
  nvshmem_int_put(data, ones, kCount, right);  // SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *data = p.zeroed<int>(kCount), *zeros = p.zeroed<int>(kCount), *ones = p.zeroed<int>(kCount);
  LAUNCH(twice, 1, &data, &zeros, &ones, &p.repaired);
}
