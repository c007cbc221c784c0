// Reads a readable trace into memory: per PE the host's entries, per thread of a kernel its operations. Truncated or
// corrupt lines are refused with their number; nothing is half believed.
#pragma once
#include <filesystem>
#include <map>
#include <tuple>
#include <vector>

#include "traces/format.hpp"

namespace shmemu::traces {

struct Trace {
  Header header;
  std::vector<std::vector<HostEntry>> hosts;                     // by PE
  using Thread = std::tuple<int, uint32_t, uint32_t, uint32_t>;  // PE, kernel, block, thread
  std::map<Thread, std::vector<LaneEntry>> lanes;
  std::map<std::tuple<int, uint32_t, uint32_t>, std::vector<device::Work>>
      blocks;  // PE, kernel, block: work of its warps
};

Trace read_trace(const std::filesystem::path& file);
// Writes what read_trace gives back: for traces that no running Machine has recorded.
void write_trace(const std::filesystem::path& file, const Trace& trace);

}  // namespace shmemu::traces
