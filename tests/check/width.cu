// rule: type.width
#include "pair.hpp"

// An 8-byte remote atomic on a counter that the owner updates with 4 bytes.
__global__ void count(unsigned* narrow, unsigned long long* wide, bool repaired) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
  nvshmem_ulonglong_atomic_add(wide, 1, right);  // FIRST
  if (repaired)
    atomicAdd(wide, 1ull);
  else
    atomicAdd(narrow, 1u);  // SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  auto* wide = p.zeroed<unsigned long long>(1);
  auto* narrow = reinterpret_cast<unsigned*>(wide);
  LAUNCH(count, 1, &narrow, &wide, &p.repaired);
}
