// Operations on queue pairs that the program names: PE 0 puts 4 MiB, then sets a signal; PE 1 says whether the data
// had arrived with the signal, PE 0 whether a quiet of the second queue pair took less time than one of the first.
// Needs 2 PEs.
//
//   queue_pair_order same | other      the signal on the queue pair of the data, or on another one
#include "../programs/program.hpp"

constexpr int kN = 1 << 20;

__global__ void run(int* data, const int* ones, uint64_t* signal, const int* qps, int flag_qp, int* seen,
                    long long* cycles) {
  if (nvshmem_my_pe() == 0) {
    int first = qps[0], second = qps[1];
    nvshmemx_qp_int_put_nbi(data, ones, kN, 1, first);
    nvshmemx_qp_signal_op(signal, 1, NVSHMEM_SIGNAL_SET, 1, qps[flag_qp]);
    nvshmemx_qp_quiet(1, &second, 1);
    const long long start = clock64();
    nvshmemx_qp_quiet(1, &first, 1);
    *cycles = clock64() - start;
  } else {
    nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, 1);
    *seen = *static_cast<volatile int*>(data + kN - 1);
  }
}

int main(int argc, char** argv) {
  const Pe pe = start(2);
  int *data = symmetric<int>(kN), *ones = symmetric<int>(kN), *seen = symmetric<int>(), *qps = symmetric<int>(2);
  auto* signal = symmetric<uint64_t>();
  auto* cycles = symmetric<long long>();
  for (int i = 0; i < kN; ++i) ones[i] = 1;
  nvshmemx_qp_handle_t* made = nullptr;
  if (nvshmemx_qp_create(2, &made) != 0) return 1;
  CUDA_CHECK(cudaMemcpy(qps, made, 2 * sizeof(int), cudaMemcpyHostToDevice));
  free(made);
  nvshmem_barrier_all();
  together(run, 1, 1, data, ones, signal, qps, argc > 1 && strcmp(argv[1], "other") == 0, seen, cycles);
  if (pe.me == 0) printf("the second quiet %s\n", value_of(cycles) > 50000 ? "waited for the data" : "was free");
  if (pe.me == 1) printf("the signal came %s the data\n", value_of(seen) ? "after" : "before");
  return finish("queue_pair_order", true);
}
