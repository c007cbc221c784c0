// Wrong: one thread sends element after element and completes each: a round trip per element.
#include "course.hpp"

constexpr int kCount = 1024;

__device__ void fill(int* batch, int first) {
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) batch[i] = first + i;
  __syncthreads();
}

__global__ void exchange(int* inbox, int* batch, int* back, int me, int right) {
  fill(batch, me);
  if (threadIdx.x == 0)
    for (int i = 0; i < kCount; ++i) {
      nvshmem_int_p(inbox + i, batch[i], right);
      nvshmem_quiet();
    }
  __syncthreads();
  fill(batch, 10 * me);
  nvshmemx_int_put_nbi_block(inbox + kCount, batch, kCount, right);
  nvshmem_quiet();  // the put has arrived, so a get finds it
  __syncthreads();
  nvshmemx_int_get_block(back, inbox + kCount, kCount, right);
}

__global__ void add(const int* inbox, const int* back, int* sums) {
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) {
    atomicAdd(&sums[0], inbox[i]);
    atomicAdd(&sums[1], inbox[kCount + i]);
    atomicAdd(&sums[2], back[i]);
  }
}

int main() {
  Course c;
  int *inbox = c.symmetric<int>(2 * kCount), *batch = c.symmetric<int>(kCount), *back = c.local<int>(kCount);
  int* sums = c.local<int>(3);
  launch(exchange, 1, 128, inbox, batch, back, c.me, c.right);
  CUDA_CHECK(cudaDeviceSynchronize());
  nvshmem_barrier_all();  // the left neighbour has finished too
  add<<<1, 128>>>(inbox, back, sums);
  printf("PE %d: received %d and %d, read back %d\n", c.me, value(sums), value(sums + 1), value(sums + 2));
}
