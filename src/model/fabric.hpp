// The way through the switches between two adapters: which leaf an adapter hangs on, and whether two of them meet there
// or only in the spine. The spine itself is non-blocking; what limits it is the leaves' uplinks. A value.
#pragma once
#include "base/ids.hpp"
#include "model/platform.hpp"

namespace shmemu {

class Fabric {
 public:
  // One adapter per GPU. `gpus`: of the nodes in use.
  Fabric(const Platform& platform, int gpus);
  int leaves() const { return leaves_; }
  int leaf_of(GpuId adapter) const;
  bool same_leaf(GpuId a, GpuId b) const { return leaf_of(a) == leaf_of(b); }
  int switches_between(GpuId a, GpuId b) const { return a == b ? 0 : same_leaf(a, b) ? 1 : 3; }
  // After so many nodes (of those in use) everything looks the same again; all of them if nothing repeats.
  int period() const;
  // … and no two adapters so many nodes apart or more meet below one leaf switch.
  int leaf_nodes() const;
  // Of all uplinks of one leaf, and of all its downlinks from the spine.
  Rate uplink() const;
  // What one half of the adapters can send to the other at once, worst case.
  Rate bisection() const;

 private:
  FabricModel model_;
  Rate line_rate_;
  int gpus_, gpus_per_node_, leaves_;
};

}  // namespace shmemu
