#include "deepep/channels.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace shmemu::deepep {

Channels::Channels(const Routing& routing, int ranks_, int per_node_, int channels)
    : ranks(ranks_),
      per_node(per_node_),
      nodes((ranks_ + per_node_ - 1) / per_node_),
      count(channels),
      tokens_(static_cast<size_t>(ranks_) * static_cast<size_t>(channels)),
      masks_(tokens_.size() * static_cast<size_t>(nodes)) {
  int local = routing.experts / ranks;
  std::array<uint8_t, 32> mask;
  for (int r = 0; r < ranks; ++r) {
    int tokens = routing.tokens(r), range = (tokens + channels - 1) / channels;
    for (int t = 0; t < tokens; ++t) {
      mask.fill(0);
      uint32_t touched = 0;
      for (int j = 0; j < routing.topk; ++j)
        if (int e = routing.token(r, t)[j]; e >= 0) {
          int to = e / local, node = to / per_node;
          touched |= uint32_t{1} << node;
          mask[static_cast<size_t>(node)] = static_cast<uint8_t>(mask[static_cast<size_t>(node)] | 1u << to % per_node);
        }
      size_t at = index(r, t / range);
      tokens_[at].push_back(touched);
      for (int n = 0; n < nodes; ++n)
        if (touched >> n & 1) {
          masks_[at * static_cast<size_t>(nodes) + static_cast<size_t>(n)].push_back(mask[static_cast<size_t>(n)]);
          ++node_tokens, rank_tokens += static_cast<uint64_t>(std::popcount(mask[static_cast<size_t>(n)]));
        }
    }
  }
}

}  // namespace shmemu::deepep
