// rule: order.overlap
#include "pair.hpp"

// Every PE writes its number to the same word of PE 0; right: to a word of its own.
__global__ void tell(int* words, bool repaired) {
  const int me = nvshmem_my_pe();
  nvshmem_int_p(words + (repaired ? me : 0), me, 0);  // FIRST SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int* words = p.zeroed<int>(p.n);
  LAUNCH(tell, 1, &words, &p.repaired);
}
