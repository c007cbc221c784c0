// Wrong: the neighbour may be a round ahead; then the signal has passed the value that is waited for.
#include "course.hpp"

constexpr int kCount = 256, kRounds = 3;

__global__ void exchange(int* inbox, int* outbox, uint64_t* signal, int* sum, int me, int right) {
  for (uint64_t round = 1; round <= kRounds; ++round) {
    for (int i = threadIdx.x; i < kCount; i += blockDim.x) outbox[i] = 10 * me + round;
    __syncthreads();
    int* slot = inbox + (round - 1) * kCount;
    nvshmemx_int_put_signal_block(slot, outbox, kCount, signal, round, NVSHMEM_SIGNAL_SET, right);
    nvshmem_quiet();  // a signal comes after its own data, not after the signal of the round before
    if (threadIdx.x == 0) nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, round);
    __syncthreads();
    for (int i = threadIdx.x; i < kCount; i += blockDim.x) atomicAdd(sum, slot[i]);
  }
}

int main() {
  Course c;
  int *inbox = c.symmetric<int>(kRounds * kCount), *outbox = c.symmetric<int>(kCount), *sum = c.local<int>(1);
  uint64_t* signal = c.symmetric<uint64_t>(1);
  launch(exchange, 1, 128, inbox, outbox, signal, sum, c.me, c.right);
  printf("PE %d: %d\n", c.me, value(sum));
}
