// rule: sym.use-after-free
// ends: 1
#include "pair.hpp"

__global__ void send(int* data) { nvshmem_int_p(data, 1, (nvshmem_my_pe() + 1) % nvshmem_n_pes()); }  // FIRST

int main(int argc, char** argv) {
  Pair p(argc, argv);
  auto* data = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));  // SECOND
  int* other = p.zeroed<int>(1);
  nvshmem_free(data);
  LAUNCH(send, 1, p.repaired ? &other : &data);
}
