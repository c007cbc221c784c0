// Ten rounds of put + signal + wait + barrier by 128 threads on every PE: the load of the scale test and the bench.
#include "program.hpp"

constexpr int kRounds = 10, kThreads = 128;

__global__ void rounds(int* data, const int* source, uint64_t* flag) {
  const int right = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
  for (int i = 1; i <= kRounds; ++i) {
    nvshmemx_int_put_block(data, source, kThreads, right);
    __syncthreads();
    if (threadIdx.x == 0) {
      nvshmem_fence();
      nvshmemx_signal_op(flag, i, NVSHMEM_SIGNAL_SET, right);
      nvshmem_signal_wait_until(flag, NVSHMEM_CMP_GE, i);
    }
    __syncthreads();
    nvshmemx_barrier_all_block();
  }
}

int main() {
  const Pe pe = start();
  int* data = symmetric<int>(kThreads);
  int* source = symmetric<int>(kThreads);
  uint64_t* flag = symmetric<uint64_t>(1);
  int mine[kThreads], got[kThreads];
  for (int i = 0; i < kThreads; ++i) mine[i] = pe.me * 1000 + i;
  CUDA_CHECK(cudaMemcpy(source, mine, sizeof mine, cudaMemcpyHostToDevice));
  nvshmem_barrier_all();
  rounds<<<1, kThreads>>>(data, source, flag);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
  int bad = 0;
  for (int i = 0; i < kThreads; ++i) bad += got[i] != (pe.me + pe.n - 1) % pe.n * 1000 + i;
  if (bad) printf("FAIL PE %d: %d wrong elements\n", pe.me, bad);
  if (pe.me == 0 && !bad) printf("scale_rounds ok: %d PEs\n", pe.n);
  nvshmem_finalize();
  return bad != 0;
}
