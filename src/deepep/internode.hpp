// DeepEP V1 high-throughput dispatch and combine across nodes: a token crosses the network once per node, to the GPU of
// the same index, which forwards it over NVLink (dispatch) or adds up what the node's GPUs return (combine). Channels
// of two SMs, rings of tokens, chunks, tails forward and head credits back. Protocol: docs/design/deepep.md. One
// thread.
#pragma once
#include "deepep/channels.hpp"
#include "deepep/costs.hpp"
#include "deepep/results.hpp"

namespace shmemu::deepep {

OpResult internode_dispatch(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
                            const std::vector<Time>& starts, uint64_t& events);
OpResult internode_combine(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
                           const std::vector<Time>& starts, uint64_t& events);

}  // namespace shmemu::deepep
