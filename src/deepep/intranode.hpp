// DeepEP V1 high-throughput dispatch and combine inside one node: per channel one SM sends and one receives, a group of
// warps per peer, rings of tokens in the receiver's memory, heads going back. Protocol: docs/design/deepep.md.
#pragma once
#include "deepep/channels.hpp"
#include "deepep/costs.hpp"
#include "deepep/results.hpp"
#include "deepep/sizes.hpp"

namespace shmemu::deepep {

OpResult intranode_dispatch(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
                            const std::vector<Time>& starts, uint64_t& events);
OpResult intranode_combine(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
                           const std::vector<Time>& starts, uint64_t& events);

}  // namespace shmemu::deepep
