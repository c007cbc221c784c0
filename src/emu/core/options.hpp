// What `shmemu run` was asked to do. A value, made by tools/ and by tests.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/machine.hpp"

namespace shmemu::emu {

// Releases of NVSHMEM whose refusals can be asked for (api/limits.hpp).
enum class Release : uint8_t { v3_3_9, v3_5 };

struct RunOptions {
  int pes = 1;
  std::optional<int> pes_per_node;  // absent: as many as fit, equally many on every node
  std::string platform;             // empty: the first with a GPU per PE
  std::filesystem::path platform_folder;
  std::filesystem::path include_folder;  // our headers: frames inside them are not call sites
  std::filesystem::path program;
  std::vector<std::string> arguments;
  bool fibers = false;  // every GPU thread on a stack of its own, also where a loop over the threads would do
  bool adverse = false;
  uint64_t seed = 1;
  std::optional<std::filesystem::path> timeline;
  device::Recorder* recorder = nullptr;  // sees every Op in program order
  bool check = false;                    // watch the order of accesses to the symmetric heaps (emu/check)
  std::optional<std::filesystem::path> sarif;
  std::optional<Release> as;  // refuse what this release refuses
  bool json = false, quiet = false, explain = false;
};

}  // namespace shmemu::emu
