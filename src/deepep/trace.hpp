// Traces of real DeepEP runs as tools/deepep_record.py writes them: a folder with a file of JSON lines per rank, a
// header and then a line per call with its configuration, its topk_idx and its start and end. Read into calls that
// `run` can replay. Format: docs/deepep.md.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "deepep/results.hpp"
#include "deepep/routing.hpp"
#include "deepep/setup.hpp"

namespace shmemu::deepep {

struct TraceCall {  // a dispatch of all ranks and the combine that answers it
  Setup setup;      // with the arrivals
  Routing routing;
  std::vector<double> dispatch_us, combine_us;  // recorded, by rank; combine_us empty: it was not recorded
};

struct Trace {
  int ranks = 0, gpus_per_node = 0;
  std::string library;
  std::vector<TraceCall> calls;
  std::vector<std::string> notes;
};

// UserError(usage) with file, line and reason; nothing of a broken trace is used.
Trace read_trace(const std::filesystem::path& folder);
// The last pair of operations of a prediction, in the same form. Replayed on the same platform it takes the same times.
void write_trace(const std::filesystem::path& folder, const Results& results, const Setup& setup,
                 const Routing& routing, int gpus_per_node);

}  // namespace shmemu::deepep
