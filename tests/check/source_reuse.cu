// rule: order.source-reuse
#include "pair.hpp"

constexpr int kCount = 64;

__global__ void send(int* data, int* source, bool repaired) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
  nvshmem_int_put_nbi(data, source, kCount, right);  // FIRST
  if (repaired) nvshmem_quiet();
  source[3] = me;  // SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *data = p.zeroed<int>(kCount), *source = p.zeroed<int>(kCount);
  LAUNCH(send, 1, &data, &source, &p.repaired);
}
