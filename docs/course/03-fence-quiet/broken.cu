// Broken: nothing keeps the flag from overtaking the data.
#include "course.hpp"

constexpr int kThreads = 32, kPart = 16, kCount = kThreads * kPart;

__global__ void exchange(int* inbox, int* flag, int* done, const int* batch, int* copy, int* sums, int me, int n) {
  const int t = threadIdx.x, right = (me + 1) % n;
  nvshmem_int_put_nbi(inbox + t * kPart, batch + t * kPart, kPart, right);  // every thread its part
  __syncthreads();
  if (t == 0) nvshmem_int_p(flag, 1, right);
  nvshmem_quiet();  // the next operation goes to another PE: there only completion helps
  __syncthreads();
  if (t == 0) {
    nvshmem_int_atomic_inc(done, 0);
    nvshmem_int_wait_until(flag, NVSHMEM_CMP_GE, 1);
  }
  __syncthreads();
  for (int i = t; i < kCount; i += kThreads) atomicAdd(&sums[0], inbox[i]);
  if (me != 0) return;
  if (t == 0) nvshmem_int_wait_until(done, NVSHMEM_CMP_GE, n);
  __syncthreads();
  for (int pe = 0; pe < n; ++pe) {
    nvshmemx_int_get_block(copy, inbox, kCount, pe);
    for (int i = t; i < kCount; i += kThreads) atomicAdd(&sums[1], copy[i]);
    __syncthreads();
  }
}

__global__ void fill(int* batch, int me) { batch[threadIdx.x] = 1000 * me + threadIdx.x; }

int main() {
  Course c;
  int *inbox = c.symmetric<int>(kCount), *flag = c.symmetric<int>(1), *done = c.symmetric<int>(1);
  int *batch = c.symmetric<int>(kCount), *copy = c.local<int>(kCount), *sums = c.local<int>(2);
  fill<<<1, kCount>>>(batch, c.me);
  launch(exchange, 1, kThreads, inbox, flag, done, static_cast<const int*>(batch), copy, sums, c.me, c.n);
  int received = value(sums), all = value(sums + 1);
  if (c.me == 0)
    printf("PE 0: received %d, everybody together %d\n", received, all);
  else
    printf("PE %d: received %d\n", c.me, received);
}
