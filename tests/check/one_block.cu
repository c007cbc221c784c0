// rule: perf.issue-limited
// level: note
// options: -p hgx-h200 -n 2
// options: -p hgx-h200 -n 4
#include "pair.hpp"

constexpr size_t kBytes = 32 << 20;

// One block cannot fill the link; right: 32 of them.
__global__ void send(char* to, char* from) {
  size_t share = kBytes / gridDim.x, begin = blockIdx.x * share;
  nvshmemx_putmem_block(to + begin, from + begin, share, (nvshmem_my_pe() + 1) % nvshmem_n_pes());  // FIRST SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  char *to = p.zeroed<char>(kBytes), *from = p.zeroed<char>(kBytes);
  send<<<p.repaired ? 32 : 1, 1024>>>(to, from);
}
