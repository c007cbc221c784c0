// rule: order.source-reuse
// also: sym.not-symmetric
#include "pair.hpp"

// A loop variable is the source of a non-blocking put; right: p takes the value at the call.
__global__ void send(int* data, int count, bool repaired) {
  const int right = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
  for (int i = 0; i < count; ++i) {
    int value = i * i;
    if (repaired)
      nvshmem_int_p(data + i, value, right);
    else
      nvshmem_int_put_nbi(data + i, &value, 1, right);  // FIRST SECOND
  }
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int* data = p.zeroed<int>(8);
  int count = 8;
  LAUNCH(send, 1, &data, &count, &p.repaired);
}
