#include "model/fabric.hpp"

#include <algorithm>

namespace shmemu {

Fabric::Fabric(const Platform& p, int gpus)
    : model_(p.fabric), line_rate_(p.nic->line_rate), gpus_(gpus), gpus_per_node_(p.gpus_per_node.value_or(gpus)) {
  leaves_ = leaf_of(GpuId{gpus - 1}) + 1;
}

int Fabric::leaf_of(GpuId a) const {
  if (model_.kind == FabricModel::Kind::fat_tree) return a.value / model_.leaf_ports;
  int node = a.value / gpus_per_node_, rail = a.value % gpus_per_node_;
  return node / model_.leaf_ports * gpus_per_node_ + rail;
}

int Fabric::leaf_nodes() const {
  if (model_.kind == FabricModel::Kind::rail) return model_.leaf_ports;
  return (model_.leaf_ports + gpus_per_node_ - 1) / gpus_per_node_;
}

int Fabric::period() const {
  int nodes = gpus_ / gpus_per_node_, of_leaf = leaf_nodes();
  if (nodes <= of_leaf) return 1;
  bool whole = model_.kind == FabricModel::Kind::rail || model_.leaf_ports % gpus_per_node_ == 0;
  return whole && nodes % of_leaf == 0 ? of_leaf : nodes;
}

Rate Fabric::uplink() const { return {line_rate_.bytes_per_second * model_.leaf_ports / model_.oversubscription}; }

Rate Fabric::bisection() const {
  double half = line_rate_.bytes_per_second * gpus_ / 2;
  return {leaves_ == 1 ? half : std::min(half, half / model_.oversubscription)};
}

}  // namespace shmemu
