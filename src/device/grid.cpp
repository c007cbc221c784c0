#include "device/grid.hpp"

#include <algorithm>

namespace shmemu::device {
namespace {

// Shared memory is given out per block with 1 KiB for the system on compute capability 9.0 (CUDA programming guide,
// technical specifications).
constexpr uint64_t kSharedPerBlockReserve = 1024;

int round_to_warps(uint32_t threads) { return static_cast<int>((threads + 31) / 32 * 32); }

}  // namespace

Gpu::Gpu(const GpuModel& model) : compute(model), model_(model), sms_(static_cast<size_t>(model.sms)) {}

int Gpu::blocks_per_sm(const GpuModel& m, uint32_t threads, uint64_t shared_bytes) {
  if (threads == 0 || threads > static_cast<uint32_t>(m.max_threads_per_cta) || shared_bytes > m.shared_per_cta)
    return 0;
  auto by_shared = static_cast<int>(m.shared_per_sm / (shared_bytes + kSharedPerBlockReserve));
  return std::min({m.max_ctas_per_sm, m.max_threads_per_sm / round_to_warps(threads), by_shared});
}

int Gpu::resident_limit(const GpuModel& m, uint32_t threads, uint64_t shared_bytes) {
  return blocks_per_sm(m, threads, shared_bytes) * m.sms;
}

int Gpu::find_room(const Grid& grid) const {
  int best = -1;
  int threads = round_to_warps(grid.threads());
  for (int i = 0; i < static_cast<int>(sms_.size()); ++i) {
    const Sm& sm = sms_[static_cast<size_t>(i)];
    bool fits = sm.ctas < model_.max_ctas_per_sm && sm.threads + threads <= model_.max_threads_per_sm &&
                sm.shared + grid.launch.shared_bytes + kSharedPerBlockReserve <= model_.shared_per_sm;
    if (fits && (best < 0 || sm.threads < sms_[static_cast<size_t>(best)].threads)) best = i;
    if (best >= 0 && sms_[static_cast<size_t>(best)].threads == 0) break;
  }
  return best;
}

void Gpu::occupy(int sm, const Grid& grid, int sign) {
  Sm& s = sms_[static_cast<size_t>(sm)];
  s.ctas += sign;
  s.threads += sign * round_to_warps(grid.threads());
  threads_ += sign * round_to_warps(grid.threads());
  s.shared += static_cast<uint64_t>(sign) * (grid.launch.shared_bytes + kSharedPerBlockReserve);
}

}  // namespace shmemu::device
