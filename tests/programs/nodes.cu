// PEs on several nodes: what nvshmem_ptr and the node team say, and that every kind of operation reaches every PE.
#include "program.hpp"

__global__ void everything(int me, int n, int* slots, int* read, unsigned long long* sum, uint64_t* signals, int* bad) {
  for (int pe = 0; pe < n; ++pe) {
    nvshmem_int_p(&slots[me], 100 + me, pe);
    nvshmem_int_put(&slots[n + me], &read[0], 1, pe);
    nvshmem_ulonglong_atomic_add(sum, me + 1, pe);
    nvshmem_int_put_signal(&slots[2 * n + me], &read[1], 1, &signals[me], 1, NVSHMEM_SIGNAL_ADD, pe);
  }
  for (int pe = 0; pe < n; ++pe) nvshmem_signal_wait_until(&signals[pe], NVSHMEM_CMP_EQ, 1);
  nvshmem_barrier_all();
  for (int pe = 0; pe < n; ++pe) {
    *bad += slots[pe] != 100 + pe || slots[n + pe] != 200 + pe || slots[2 * n + pe] != 300 + pe;
    *bad += nvshmem_int_g(&read[0], pe) != 200 + pe;
    int got = 0;
    nvshmem_int_get(&read[2], &read[1], 1, pe);
    got = read[2];
    *bad += got != 300 + pe;
    *bad += nvshmem_ulonglong_atomic_fetch(sum, pe) != (unsigned long long)n * (n + 1) / 2;
  }
}

int main() {
  const Pe pe = start(2);
  int node_pes = nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE), node = pe.me / node_pes, bad = 0;
  bad += nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) != pe.me % node_pes;
  int* slots = symmetric<int>(3 * pe.n);
  int* read = symmetric<int>(3);
  auto* sum = symmetric<unsigned long long>();
  auto* signals = symmetric<uint64_t>(pe.n);
  int* wrong = symmetric<int>();
  for (int other = 0; other < pe.n; ++other) bad += (nvshmem_ptr(slots, other) != nullptr) != (other / node_pes == node);
  int values[2] = {200 + pe.me, 300 + pe.me};
  CUDA_CHECK(cudaMemcpy(read, values, sizeof values, cudaMemcpyHostToDevice));
  nvshmem_barrier_all();
  together(everything, 1, 1, pe.me, pe.n, slots, read, sum, signals, wrong);
  bad += value_of(wrong);
  if (pe.me == 0) printf("%d PEs per node\n", node_pes);
  return finish("nodes", bad == 0);
}
