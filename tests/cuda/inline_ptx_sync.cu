// Named barriers, votes, shuffles and leader election written as PTX.
#include "check.hpp"

__global__ void named_barriers(int* out) {
  __shared__ int stage[64];
  // threads 0..63 produce, 64..127 consume; barrier 1 hands over
  if (threadIdx.x < 64) {
    stage[threadIdx.x] = threadIdx.x * 2;
    asm volatile("bar.arrive %0, %1;" ::"r"(1), "r"(128) : "memory");
  } else {
    asm volatile("bar.sync %0, %1;" ::"r"(1), "r"(128) : "memory");
    out[threadIdx.x - 64] = stage[127 - threadIdx.x];
  }
  asm volatile("barrier.sync.aligned 0;" ::: "memory");
  int half = threadIdx.x / 64;
  if (half == 1) asm volatile("barrier.cta.sync %0, 64;" ::"r"(2 + half));
}

__global__ void warp(unsigned* out) {
  unsigned ballot, shuffled, leader, elected, same;
  unsigned lane = threadIdx.x;
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 4; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(ballot) : "r"(lane));
  asm volatile("shfl.sync.idx.b32 %0, %1, 9, 0x1f, 0xffffffff;" : "=r"(shuffled) : "r"(lane * 3));
  asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }" : "=r"(leader), "=r"(elected) : "r"(0xffffffffu));
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(lane / 16));
  unsigned in_range;
  asm volatile("{ .reg .pred p; .reg .b32 v; shfl.sync.down.b32 v|p, %1, 1, 0x1f, -1; selp.u32 %0, 1, 0, p; }" : "=r"(in_range) : "r"(lane));
  bool right = ballot == 15 && shuffled == 27 && leader == 0 && elected == (lane == 0) &&
               same == (lane < 16 ? 0xffffu : 0xffff0000u) && in_range == (lane != 31);
  out[lane] = right;
}

int main() {
  DeviceArray<int> out(64);
  named_barriers<<<1, 128>>>(out);
  std::vector<int> r = out.read();
  for (int t = 0; t < 64; ++t) CHECK(r[t] == (63 - t) * 2);
  DeviceArray<unsigned> right(32);
  warp<<<1, 32>>>(right);
  for (unsigned value : right.read()) CHECK(value == 1);
  return verdict();
}
