// Wrong: the cells have two buffers, the halos only one; a neighbour that is a step ahead overwrites it.
#include "course.hpp"

constexpr int kCells = 128, kSteps = 12;  // cells per PE

// A buffer holds halo, kCells cells, halo. signal[0] says which step's cell is in the left halo, signal[1] in the right.
__global__ void steps(int* even, int* odd, uint64_t* signal, int left, int right) {
  const int t = threadIdx.x;
  for (uint64_t step = 1; step <= kSteps; ++step) {
    int *from = step % 2 ? even : odd, *to = step % 2 ? odd : even;
    if (t == 0) {
      nvshmem_int_put_signal(even + kCells + 1, from + 1, 1, signal + 1, step, NVSHMEM_SIGNAL_SET, left);
      nvshmem_int_put_signal(even, from + kCells, 1, signal, step, NVSHMEM_SIGNAL_SET, right);
      nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, step);
      nvshmem_signal_wait_until(signal + 1, NVSHMEM_CMP_GE, step);
    }
    __syncthreads();
    // a neighbour can be one step ahead, never two: it needs our cell. So two buffers are enough
    to[t + 1] = ((t == 0 ? even : from)[t] + 2 * from[t + 1] + (t == kCells - 1 ? even : from)[t + 2]) / 4;
    if (t == 0) nvshmem_quiet();  // the signal of the next step must not overtake this one
    __syncthreads();
  }
}

__global__ void fill(int* cells, int me) { cells[threadIdx.x + 1] = me == 0 && threadIdx.x < 8 ? 4096 : 0; }
__global__ void add(const int* cells, int* out) {
  atomicAdd(out, cells[threadIdx.x + 1]);
  atomicMax(out + 1, cells[threadIdx.x + 1]);
}

int main() {
  Course c;
  int *even = c.symmetric<int>(kCells + 2), *odd = c.symmetric<int>(kCells + 2), *out = c.local<int>(2);
  uint64_t* signal = c.symmetric<uint64_t>(2);
  fill<<<1, kCells>>>(even, c.me);
  launch(steps, 1, kCells, even, odd, signal, c.left, c.right);
  add<<<1, kCells>>>(kSteps % 2 ? odd : even, out);
  printf("PE %d: heat %d, at most %d\n", c.me, value(out), value(out + 1));
}
