// Platform: the cluster a run pretends to have. Nodes, GPUs per node, NVLink domains, adapters, fabric, cost models.
// Read from a YAML file once; immutable afterwards. Does not know PEs or programs.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "model/gpu_model.hpp"
#include "model/nic_model.hpp"

namespace shmemu {

struct Platform {
  std::string name, description;
  int nodes = 1;  // it has; a run uses as many as it needs (model/placement.hpp)
  std::optional<int> gpus_per_node;  // absent: the node is as large as the run needs
  std::optional<int> nvlink_domain;  // GPUs per NVLink domain; absent: all GPUs of the run
  GpuModel gpu;
  HostModel host;
  std::optional<NicModel> nic;  // one per GPU; absent: nothing connects the NVLink domains
  FabricModel fabric;           // between the adapters
  std::vector<std::string> guesses;  // constants whose source says that they are a guess

  std::optional<int> gpus() const { return gpus_per_node ? std::optional(nodes * *gpus_per_node) : std::nullopt; }
  int node_of(GpuId g) const { return gpus_per_node ? g.value / *gpus_per_node : 0; }
  bool same_nvlink_domain(GpuId a, GpuId b) const {
    return !nvlink_domain || a.value / *nvlink_domain == b.value / *nvlink_domain;
  }
};

// Names of the platforms in `folder`, sorted in the order `run` tries them (field `order` of the files).
std::vector<std::string> list_platforms(const std::filesystem::path& folder);
// `name` is one of list_platforms or a path to a YAML file. UserError(usage) with the known names otherwise.
Platform load_platform(const std::filesystem::path& folder, const std::string& name);
// The first platform of the list with a GPU for each of `pes` PEs.
std::string default_platform(const std::filesystem::path& folder, int pes);

}  // namespace shmemu
