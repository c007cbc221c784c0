// rule: order.scope
#include "pair.hpp"

constexpr int kCount = 64;

// Thread 1 puts, thread 0 fences and raises the flag; right: they meet in between.
__global__ void exchange(int* data, int* source, int* flag, int* sum, bool repaired) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
  if (threadIdx.x == 1) nvshmem_int_put(data, source, kCount, right);  // FIRST
  if (repaired) __syncthreads();
  if (threadIdx.x == 0) nvshmem_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    nvshmem_int_p(flag, 1, right);
    nvshmem_int_wait_until(flag, NVSHMEM_CMP_GE, 1);
  }
  __syncthreads();
  atomicAdd(sum, data[threadIdx.x]);  // SECOND
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *data = p.zeroed<int>(kCount), *source = p.zeroed<int>(kCount), *flag = p.zeroed<int>(1);
  int* sum;
  cudaMalloc(&sum, sizeof(int));
  LAUNCH(exchange, kCount, &data, &source, &flag, &sum, &p.repaired);
}
