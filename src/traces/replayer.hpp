// Plays a trace through the same Machine that runs programs: the Ops come from the file instead of a fiber. Only the
// symmetric heap exists, with the small payloads that the trace kept, so waits are resolved by data flow again.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/platform.hpp"
#include "report/run_report.hpp"
#include "traces/reader.hpp"

namespace shmemu::traces {

struct ReplayResult {
  uint64_t transfers = 0, observations = 0, steps = 0;
  uint64_t most_held = 0;                   // operations read from a file in columns and not yet played, at most
  std::vector<std::vector<Time>> commands;  // by PE and submission: when it ended
  std::vector<std::string> paths;           // which way operations took, for people
  std::string steering;  // which answers depended on time and may have steered the program; empty: none
};

struct ReplayOptions {
  std::optional<int> pes_per_node;       // absent: PEs stay on the GPUs on which they were recorded
  std::function<void(double)> progress;  // of reading the file, 0 to 1
};

// Plays a trace on a platform; fills `report`.
ReplayResult replay(const Trace& trace, const Platform& platform, RunReport& report, const ReplayOptions& options = {});
// From the file; one in columns is read while it plays and never held whole.
ReplayResult replay(std::unique_ptr<TraceReader> reader, const Platform& platform, RunReport& report,
                    const ReplayOptions& options = {});

}  // namespace shmemu::traces
