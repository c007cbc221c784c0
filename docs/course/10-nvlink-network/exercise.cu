// Exercise: each PE sends a table to its neighbour, on the same node or on another one, in little time on both.
#include "course.hpp"

constexpr int kCount = 4096, kThreads = 256;

__global__ void send(int* inbox, int* outbox, uint64_t* signal, int* sum, int me, int right) {
  for (int i = threadIdx.x; i < kCount; i += kThreads) outbox[i] = (i * 7 + me) % 1000;
  __syncthreads();
  // TODO: send `outbox` to `inbox` of `right` and set `signal` there to 1, in at most the time that lesson.yaml allows
  // TODO: wait for the table of the left neighbour
  __syncthreads();
  int mine = 0;
  for (int i = threadIdx.x; i < kCount; i += kThreads) mine += inbox[i];
  atomicAdd(sum, mine);
}

int main() {
  Course c;
  int *inbox = c.symmetric<int>(kCount), *outbox = c.symmetric<int>(kCount), *sum = c.local<int>(1);
  uint64_t* signal = c.symmetric<uint64_t>(1);
  launch(send, 1, kThreads, inbox, outbox, signal, sum, c.me, c.right);
  printf("PE %d: %d\n", c.me, value(sum));
}
