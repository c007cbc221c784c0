// run: -n 2
// refused by: 3.3.9
#include "../programs/program.hpp"

__global__ void send(int* word, int value, int qp, int right) { nvshmemx_qp_int_p(word, value, right, qp); }

int main() {
  const Pe pe = start(2);
  int* word = symmetric<int>();
  nvshmemx_qp_handle_t* qps = nullptr;
  if (nvshmemx_qp_create(1, &qps) != 0) return 1;
  nvshmem_barrier_all();
  together(send, 1, 1, word, 3 + pe.me, qps[0], 1 - pe.me);
  nvshmem_barrier_all();
  free(qps);
  return finish("queue_pairs", value_of(word) == 4 - pe.me);
}
