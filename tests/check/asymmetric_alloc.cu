// rule: sym.asymmetric-alloc
#include "pair.hpp"

int main(int argc, char** argv) {
  Pair p(argc, argv);
  size_t mine = 100 + (p.repaired ? 0 : static_cast<size_t>(p.me));
  void* share = nvshmem_malloc(mine);  // FIRST SECOND
  nvshmem_free(share);
}
