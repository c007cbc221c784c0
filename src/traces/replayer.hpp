// Plays a trace through the same Machine that runs programs: the Ops come from the file instead of a fiber. Only the
// symmetric heap exists, with the small payloads that the trace kept, so waits are resolved by data flow again.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/platform.hpp"
#include "report/run_report.hpp"
#include "traces/reader.hpp"

namespace shmemu::traces {

struct ReplayResult {
  uint64_t transfers = 0, observations = 0, steps = 0;
  std::vector<std::vector<Time>> commands;  // by PE and submission: when it ended
};

// Plays `trace` on a platform; fills `report`.
ReplayResult replay(const Trace& trace, const Platform& platform, RunReport& report);

}  // namespace shmemu::traces
