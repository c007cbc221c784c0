// What HT's channels have to move: channel c of a rank owns a contiguous range of its tokens, and sends each token once
// to every node that holds one of its experts, with a mask of the node's GPUs that want it. From a Routing; a value.
#pragma once
#include <cstdint>
#include <vector>

#include "deepep/routing.hpp"

namespace shmemu::deepep {

struct Channels {
  Channels(const Routing& routing, int ranks, int ranks_per_node, int channels);
  int ranks, per_node, nodes, count;
  // Tokens of a channel in order: bit n set when node n wants it.
  const std::vector<uint32_t>& tokens(int rank, int channel) const { return tokens_[index(rank, channel)]; }
  // Masks of GPUs of node n, one per token that goes there, in order.
  const std::vector<uint8_t>& masks(int rank, int channel, int node) const {
    return masks_[index(rank, channel) * static_cast<size_t>(nodes) + static_cast<size_t>(node)];
  }
  uint64_t node_tokens = 0;  // (token, node) pairs, own node included
  uint64_t rank_tokens = 0;  // (token, rank) pairs, own rank included

 private:
  size_t index(int rank, int channel) const {
    return static_cast<size_t>(rank) * static_cast<size_t>(count) + static_cast<size_t>(channel);
  }
  std::vector<std::vector<uint32_t>> tokens_;
  std::vector<std::vector<uint8_t>> masks_;
};

}  // namespace shmemu::deepep
