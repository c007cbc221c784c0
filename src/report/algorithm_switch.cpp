#include "report/algorithm_switch.hpp"

#include <fmt/format.h>

namespace shmemu {

void AlgorithmSwitch::add(const Call& call) {
  if (!call.bytes) return;
  auto [at, fresh] = fastest_[{call.collective, call.pes}].try_emplace(call.bytes, call);
  if (!fresh && call.took < at->second.took) at->second = call;
}

std::optional<Finding> AlgorithmSwitch::finding(
    const std::function<FindingPlace(PeId, uint64_t, const std::string&)>& place) const {
  constexpr double kWorth = 1.5;  // a step that doubled the size may take twice as long, and half as much again
  const Call *below = nullptr, *above = nullptr;
  double worst = kWorth;
  for (auto& [key, sizes] : fastest_)
    for (auto a = sizes.begin(), b = a; b != sizes.end(); a = b++) {
      if (a == b || a->second.algorithm == b->second.algorithm || b->first > 2 * a->first || a->second.took <= Time{})
        continue;
      double longer = static_cast<double>(b->second.took.ps) / static_cast<double>(a->second.took.ps);
      double step = longer * static_cast<double>(a->first) / static_cast<double>(b->first);
      if (step > worst) worst = step, below = &a->second, above = &b->second;
    }
  if (!below) return {};
  Finding f;
  f.rule = "perf.algo-switch";
  f.note = true;
  f.what =
      fmt::format("{} of {} takes {}, of {} {}: between the two its algorithm changes", below->collective,
                  bytes_to_text(below->bytes), to_text(below->took), bytes_to_text(above->bytes), to_text(above->took));
  f.values = fmt::format("{} before, {} behind; {} PEs", below->algorithm, above->algorithm, below->pes);
  f.remedy = "cut large calls into several below the step, or choose the algorithm by its NVSHMEM_ variable";
  f.first = place(below->pe, below->site, below->collective);
  f.second = place(above->pe, above->site, above->collective);
  return f;
}

}  // namespace shmemu
