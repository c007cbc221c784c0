// rule: perf.message-rate
// level: note
// options: -p coreweave-2x8 --pes-per-node 1 -n 2
#include "pair.hpp"

constexpr int kCount = 4096;

// A row goes to the neighbour value by value over the CPU proxy; right: as one put.
__global__ void send(float* row, float* source, bool repaired) {
  const int right = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
  if (repaired) {
    nvshmemx_float_put_block(row, source, kCount, right);
  } else {
    for (int i = static_cast<int>(threadIdx.x); i < kCount; i += static_cast<int>(blockDim.x))
      nvshmem_float_p(row + i, source[i], right);  // FIRST SECOND
  }
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  float *row = p.zeroed<float>(kCount), *source = p.zeroed<float>(kCount);
  LAUNCH(send, 256, &row, &source, &p.repaired);
}
