#include "collectives/scratch.hpp"

#include <algorithm>
#include <iterator>

namespace shmemu {

Scratch::Scratch(int pes, const CollectiveSettings& s) {
  constexpr uint64_t kPage = 4096;
  auto n = static_cast<uint64_t>(pes);
  uint64_t ll = packed_bytes(Packing::ll, (s.fcollect_ll_threshold + 15) / 16 * 16);
  uint64_t ll128 = s.fcollect_ll128_threshold ? packed_bytes(Packing::ll128, s.fcollect_ll128_threshold) + 128 : 0;
  uint64_t sizes[] = {(slots::kAlltoall + 3 * n) * 8,
                      std::max({kBroadcastRing, ll, ll128}),
                      kBroadcastRing,
                      2 * n * ll,
                      2 * n * ll128,
                      s.reduce_scratch};
  static_assert(std::size(sizes) == static_cast<size_t>(Area::count_));
  for (size_t i = 0; i < std::size(sizes); ++i) offsets_[i + 1] = offsets_[i] + (sizes[i] + kPage - 1) / kPage * kPage;
}

}  // namespace shmemu
