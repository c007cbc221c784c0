// What `shmemu deepep` says: text for people, JSON for machines, CSV for serving simulators, spans for a timeline. Pure
// functions of a Results.
#pragma once
#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "deepep/results.hpp"
#include "deepep/routing.hpp"
#include "deepep/setup.hpp"
#include "deepep/spans.hpp"

namespace shmemu::deepep {

struct OpSummary {
  double mean_us = 0, p50_us = 0, p99_us = 0, kernel_us = 0, notify_us = 0;
  double logical_gbps = 0, nvl_logical_gbps = 0, wire_gbps = 0, nvlink_gbps = 0;
  double skew_us = 0, issue_us = 0, transfer_us = 0, forward_us = 0,
         receive_us = 0;  // they add up to the kernel's mean
  std::string bound;
  std::vector<double> per_rank_us;
};
OpSummary summary_of(const OpResult& op);

std::string text_of(const Results& results, const Setup& setup, const Platform& platform, const Skew& skew);
nlohmann::ordered_json json_of(const Results& results, const Setup& setup, const Platform& platform, const Skew& skew);
std::string csv_of(const Results& results, const Setup& setup, const Platform& platform);

// .pftrace: Perfetto; .svg: a picture of the first ranks; else one JSON object per line. UserError(usage) when it
// cannot be written.
void write_timeline(const Spans& spans, const std::filesystem::path& file, const std::string& title);

}  // namespace shmemu::deepep
