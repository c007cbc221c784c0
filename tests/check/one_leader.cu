// rule: perf.nic-imbalance
// level: note
// options: -p coreweave-2x8 --pes-per-node 2 -n 4
// options: -p coreweave-2x8 --pes-per-node 8 -n 16
#include "pair.hpp"

constexpr size_t kBytes = 8 << 20;

// The first PE of a node sends to the other node for all; right: each PE to the one at its own place.
__global__ void send(char* to, char* from, int per_node, bool repaired) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
  const size_t bytes = repaired ? kBytes : me % per_node == 0 ? 4 * kBytes : 0;
  if (bytes) nvshmemx_putmem_block(to, from, bytes, (me + per_node) % n);  // FIRST SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  char *to = p.zeroed<char>(4 * kBytes), *from = p.zeroed<char>(4 * kBytes);
  int per_node = nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE);
  LAUNCH(send, 1024, &to, &from, &per_node, &p.repaired);
}
