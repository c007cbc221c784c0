// Wrong: right, but all PEs wait for all PEs in each step, and the host starts a kernel for each.
#include "course.hpp"

constexpr int kCells = 128, kSteps = 12;  // cells per PE

// A buffer holds halo, kCells cells, halo.
__global__ void step_of(int* from, int* to, int left, int right) {
  const int t = threadIdx.x;
  if (t == 0) {
    nvshmem_int_p(from + kCells + 1, from[1], left);
    nvshmem_int_p(from, from[kCells], right);
    nvshmem_barrier_all();
  }
  __syncthreads();
  to[t + 1] = (from[t] + 2 * from[t + 1] + from[t + 2]) / 4;
}

__global__ void fill(int* cells, int me) { cells[threadIdx.x + 1] = me == 0 && threadIdx.x < 8 ? 4096 : 0; }
__global__ void add(const int* cells, int* out) {
  atomicAdd(out, cells[threadIdx.x + 1]);
  atomicMax(out + 1, cells[threadIdx.x + 1]);
}

int main() {
  Course c;
  int *even = c.symmetric<int>(kCells + 2), *odd = c.symmetric<int>(kCells + 2), *out = c.local<int>(2);
  fill<<<1, kCells>>>(even, c.me);
  for (int step = 1; step <= kSteps; ++step) {
    launch(step_of, 1, kCells, step % 2 ? even : odd, step % 2 ? odd : even, c.left, c.right);
    CUDA_CHECK(cudaDeviceSynchronize());
    nvshmem_barrier_all();
  }
  add<<<1, kCells>>>(kSteps % 2 ? odd : even, out);
  printf("PE %d: heat %d, at most %d\n", c.me, value(out), value(out + 1));
}
