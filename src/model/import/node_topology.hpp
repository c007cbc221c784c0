// One server as its own tools describe it: which GPUs have NVLink to which, which adapters are near. Read from the
// matrix of `nvidia-smi topo -m` or from NCCL's topology XML, both of which leave things out; what was missing, assumed
// or only partly there is said in findings. Place: beside Platform, for `shmemu platform import`. A value.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shmemu {

struct ImportFinding {
  std::string rule;  // import.missing, import.assumed, import.partial
  std::string what;
};

struct NodeTopology {
  enum class Near { self, pix, pxb, phb, node, sys };  // nearest first
  struct Nic {
    std::string name;
    std::optional<double> gb_per_s;
  };
  struct Gpu {
    std::optional<int> numa, sm;  // sm: compute capability, 90 for Hopper
    std::vector<Near> to_nic;     // by adapter
    std::vector<int> nics;        // chosen: all that are equally near, or one of them
  };
  std::vector<Gpu> gpus;
  std::vector<Nic> nics;
  // Links between two GPUs; absent: unknown. 0: none.
  std::vector<std::vector<std::optional<int>>> nvlinks;
  std::vector<ImportFinding> findings;

  // Sets of GPUs that NVLink connects; empty if unknown.
  std::vector<std::vector<int>> islands() const;
  // Adapters that no GPU uses; none if GPUs are missing.
  std::vector<int> unused_nics() const;
  // GB/s of a GPU's adapters; absent: unknown.
  std::optional<double> network_of(const Gpu& gpu) const;
  bool has(const std::string& rule) const;
};

// By the contents. UserError(usage) for files that are neither.
NodeTopology read_topology(const std::filesystem::path& file);

}  // namespace shmemu
