// On which node and GPU each PE of a run sits. NVSHMEM wants as many PEs on every node (3.3.9 refuses others at init).
// A value.
#pragma once
#include <optional>

#include "base/ids.hpp"
#include "model/platform.hpp"

namespace shmemu {

struct Placement {
  int nodes = 1, pes_per_node = 1, gpus_per_node = 1;
  int gpus() const { return nodes * gpus_per_node; }
  int node_of(PeId pe) const { return pe.value / pes_per_node; }
  GpuId gpu_of(PeId pe) const { return {node_of(pe) * gpus_per_node + pe.value % pes_per_node}; }
};

// `pes_per_node`, or as few nodes as can hold equally many PEs each. UserError(usage) if the platform is too small.
// `uneven`: the last node may hold fewer of the PEs per node that are asked for.
Placement place(const Platform& platform, int pes, std::optional<int> pes_per_node = {}, bool uneven = false);
// Whether `place` finds room.
bool has_room(const Platform& platform, int pes);

}  // namespace shmemu
