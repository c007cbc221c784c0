#include "model/placement.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu {
namespace {

// Nodes that share `pes` evenly, at most `per_node` on each; none if there are not enough.
std::optional<int> even_nodes(const Platform& p, int pes, int per_node) {
  for (int nodes = (pes + per_node - 1) / per_node; nodes <= p.nodes; ++nodes)
    if (pes % nodes == 0) return nodes;
  return {};
}

}  // namespace

bool has_room(const Platform& p, int pes) {
  return !p.gpus_per_node || even_nodes(p, pes, *p.gpus_per_node).has_value();
}

Placement place(const Platform& p, int pes, std::optional<int> wanted, bool uneven) {
  auto fail = [](const std::string& message) { throw UserError(ExitCode::usage, message); };
  if (!p.gpus_per_node) {
    if (wanted && *wanted < pes)
      fail(fmt::format("platform '{}' is one node; --pes-per-node {} needs one with several, for example -p hgx-h200",
                       p.name, *wanted));
    return {1, pes, pes};
  }
  int most = *p.gpus_per_node;
  if (wanted) {
    if (*wanted < 1 || *wanted > most)
      fail(fmt::format("--pes-per-node {}: a node of platform '{}' has {} GPUs", *wanted, p.name, most));
    if (pes % *wanted && !uneven)
      fail(fmt::format("{} PEs do not fill nodes of {}: NVSHMEM wants as many PEs on every node", pes, *wanted));
    int nodes = (pes + *wanted - 1) / *wanted;
    if (nodes > p.nodes)
      fail(fmt::format("{} PEs on nodes of {} need {} nodes, platform '{}' has {}", pes, *wanted, nodes, p.name,
                       p.nodes));
    return {nodes, *wanted, most};
  }
  if (auto nodes = even_nodes(p, pes, most)) return {*nodes, pes / *nodes, most};
  if (p.nodes * most >= pes)
    fail(fmt::format(
        "{} PEs cannot be spread evenly over at most {} nodes of {} GPUs of platform '{}', as NVSHMEM wants; "
        "take another number of PEs",
        pes, p.nodes, most, p.name));
  fail(
      fmt::format("platform '{}' has {} GPUs, the run asks for {} PEs; take a larger platform, for example "
                  "-p nvlink-flat, or fewer PEs",
                  p.name, p.nodes * most, pes));
  return {};
}

}  // namespace shmemu
