// Routings from files: .npy of topk_idx ([tokens, k] or [ranks, tokens, k]), JSON lines as serving engines log them (a
// meta line, then a line per token and layer), .csv of selections per expert. What a file does not say is assumed and
// listed. Nothing is renormalised.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "deepep/routing.hpp"

namespace shmemu::deepep {

struct RoutingRequest {
  int ranks = 8;
  std::optional<int> tokens;   // per rank; absent: all rows, in equal parts
  std::optional<int> experts;  // absent: as the file says
  std::optional<int> layer;    // of JSON lines; absent: the first logged
  std::string column;          // of a .csv, empty: the last; the dataset of a .h5, empty: topk_idx
  bool drop_warmup = false;    // leading rows that all select the same
  uint64_t seed = 0;
};

struct RoutingFile {
  Routing routing;
  std::vector<std::string> notes;  // assumptions, and both skews when there is a warm-up
};

// UserError(usage) with file, line and reason.
RoutingFile read_routing(const std::filesystem::path& file, const RoutingRequest& request);

}  // namespace shmemu::deepep
