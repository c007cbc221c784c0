#include "deepep/placement.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::deepep {

ExpertPlacement balance(const std::vector<uint64_t>& load, int ranks, int copies) {
  int experts = static_cast<int>(load.size()), total = experts + copies;
  if (total % ranks)
    throw UserError(
        ExitCode::usage,
        fmt::format("deepep: --redundant {}: {} experts and their copies are no multiple of {} ranks; the next "
                    "that fits is {}",
                    copies, total, ranks, copies + ranks - total % ranks));
  std::vector<int> count(load.size(), 1);
  for (int i = 0; i < copies; ++i) {  // one more of the expert whose copies carry most
    size_t most = 0;
    for (size_t e = 1; e < load.size(); ++e)
      if (load[e] * static_cast<uint64_t>(count[most]) > load[most] * static_cast<uint64_t>(count[e])) most = e;
    ++count[most];
  }
  struct Copy {
    double load;
    int expert;
  };
  std::vector<Copy> all;
  for (int e = 0; e < experts; ++e)
    for (int i = 0; i < count[static_cast<size_t>(e)]; ++i)
      all.push_back({static_cast<double>(load[static_cast<size_t>(e)]) / count[static_cast<size_t>(e)], e});
  std::stable_sort(all.begin(), all.end(), [](const Copy& a, const Copy& b) { return a.load > b.load; });
  ExpertPlacement out;
  out.slots_per_rank = total / ranks;
  out.slots.resize(load.size());
  std::vector<double> carried(static_cast<size_t>(ranks));
  std::vector<int> used(static_cast<size_t>(ranks));
  for (const Copy& c : all) {  // to the rank with the least load that has room
    int best = -1;
    for (int r = 0; r < ranks; ++r)
      if (used[static_cast<size_t>(r)] < out.slots_per_rank &&
          (best < 0 || carried[static_cast<size_t>(r)] < carried[static_cast<size_t>(best)]))
        best = r;
    carried[static_cast<size_t>(best)] += c.load;
    out.slots[static_cast<size_t>(c.expert)].push_back(best * out.slots_per_rank + used[static_cast<size_t>(best)]++);
  }
  return out;
}

Routing place_experts(const Routing& routing, const ExpertPlacement& placement) {
  Routing out = routing;
  std::vector<size_t> turn(placement.slots.size());
  int most = 0;
  for (const auto& slots : placement.slots)
    for (int s : slots) most = std::max(most, s + 1);
  out.experts = most;
  for (auto& picks : out.picks)
    for (int16_t& e : picks)
      if (e >= 0) {
        const auto& slots = placement.slots[static_cast<size_t>(e)];
        e = static_cast<int16_t>(slots[turn[static_cast<size_t>(e)]++ % slots.size()]);
      }
  return out;
}

std::vector<uint64_t> loads_of(const Routing& routing) {
  std::vector<uint64_t> load(static_cast<size_t>(routing.experts));
  for (const auto& picks : routing.picks)
    for (int16_t e : picks)
      if (e >= 0) ++load[static_cast<size_t>(e)];
  return load;
}

}  // namespace shmemu::deepep
