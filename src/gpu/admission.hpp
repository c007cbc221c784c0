// Which real GPU a PE's kernels run on, whether kernels that wait for each other can all be there at once, and the
// numbers if not. A GPU runs at most
// 128 grids at a time (one H200, CUDA 13, measured 2026-11: the 129th waits silently until one ends), and blocks that
// do not fit are not started before others end. Pure functions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace shmemu::gpu {

constexpr int kMostKernels = 128;

struct Demand {
  std::string kernel;
  uint64_t blocks = 0;   // of each PE
  uint64_t threads = 0;  // of a block
  uint64_t fits = 0;     // blocks of this kernel that one GPU holds at once
  int pes = 1;           // on one GPU
};

// The PEs in their order, in as equal parts as possible: neighbours share a GPU.
int gpu_of_pe(int pe, int pes, int gpus);
// PEs of the fullest GPU.
int most_on_a_gpu(int pes, int gpus);

// PEs of one GPU for which the demand can be met.
int most_pes(const Demand& demand);
// Absent if it fits; else one sentence with the numbers and the remedy.
std::optional<std::string> refusal(const Demand& demand);

}  // namespace shmemu::gpu
