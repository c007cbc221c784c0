// Exercise: each PE sends two batches to its right neighbour out of one buffer, and reads the second one back.
#include "course.hpp"

constexpr int kCount = 1024;

__device__ void fill(int* batch, int first) {
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) batch[i] = first + i;
  __syncthreads();
}

__global__ void exchange(int* inbox, int* batch, int* back, int me, int right) {
  fill(batch, me);
  // TODO: send `batch` to `inbox` of `right`, all threads of the block together
  fill(batch, 10 * me);
  // TODO: send it to the second half of `inbox`
  // TODO: read the second half of the neighbour's `inbox` into `back`
  // TODO: which of these operations have to be complete before the next statement, and what completes them?
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
  // TODO: what must have happened on other PEs before `inbox` is read?
  add<<<1, 128>>>(inbox, back, sums);
  printf("PE %d: received %d and %d, read back %d\n", c.me, value(sums), value(sums + 1), value(sums + 2));
}
