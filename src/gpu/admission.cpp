#include "gpu/admission.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shmemu::gpu {

int gpu_of_pe(int pe, int pes, int gpus) { return static_cast<int>(int64_t{pe} * gpus / pes); }

int most_on_a_gpu(int pes, int gpus) { return (pes + gpus - 1) / gpus; }

int most_pes(const Demand& d) {
  uint64_t by_blocks = d.blocks ? d.fits / d.blocks : kMostKernels;
  return static_cast<int>(std::min<uint64_t>(by_blocks, kMostKernels));
}

std::optional<std::string> refusal(const Demand& d) {
  int most = most_pes(d);
  if (d.pes <= most) return std::nullopt;
  if (d.blocks * static_cast<uint64_t>(d.pes) <= d.fits)
    return fmt::format(
        "kernel {}: {} PEs would wait for each other in {} kernels; a GPU runs at most {} at a time. Use at most {} "
        "PEs per GPU, or --executor cpu",
        d.kernel, d.pes, d.pes, kMostKernels, most);
  return fmt::format(
      "kernel {}: {} PEs × {} blocks of {} threads = {} blocks must be on the GPU at once; it holds {} of them. Use "
      "fewer blocks or at most {} PEs, or --executor cpu",
      d.kernel, d.pes, d.blocks, d.threads, d.blocks * static_cast<uint64_t>(d.pes), d.fits, most);
}

}  // namespace shmemu::gpu
