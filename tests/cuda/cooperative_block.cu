// Cooperative groups: the block and tiles of a warp.
#include <cooperative_groups.h>

#include "check.hpp"
namespace cg = cooperative_groups;

__global__ void rotate(int* values) {
  __shared__ int copy[64];
  cg::thread_block block = cg::this_thread_block();
  copy[block.thread_rank()] = values[threadIdx.x];
  block.sync();
  values[threadIdx.x] = copy[(block.thread_rank() + 1) % block.size()];
}

__global__ void tiles(int* sums) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int value = threadIdx.x;
  for (int distance = 4; distance; distance /= 2) value += tile.shfl_down(value, distance);
  if (tile.thread_rank() == 0) sums[threadIdx.x / 8] = value;
}

int main() {
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[i] = i;
  DeviceArray<int> data(values), sums(4);
  rotate<<<1, 64>>>(data);
  std::vector<int> r = data.read();
  for (int i = 0; i < 64; ++i) CHECK(r[i] == (i + 1) % 64);
  tiles<<<1, 32>>>(sums);
  r = sums.read();
  for (int i = 0; i < 4; ++i) CHECK(r[i] == 8 * 8 * i + 28);
  return verdict();
}
