// What the four high-throughput kernels (dispatch and combine, across nodes and inside one) share: the setting, the
// clock, the NVLink ports, and for each rank when its phases were over.
#pragma once
#include <algorithm>
#include <vector>

#include "deepep/accounting.hpp"
#include "deepep/channels.hpp"
#include "deepep/costs.hpp"
#include "deepep/links.hpp"
#include "deepep/results.hpp"
#include "model/event_queue.hpp"

namespace shmemu::deepep {

class HighThroughput {
 protected:
  HighThroughput(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
                 const std::vector<Time>& starts)
      : platform_(platform),
        costs_(costs),
        setup_(setup),
        channels_(channels),
        starts_(starts),
        links_(setup.ep, nvlink_rate(platform, costs, setup)),
        ends_(starts),
        issued_(starts),
        arrived_(starts) {}

  // Returns how many events there were.
  uint64_t run_events() {
    while (!events_.empty()) events_.run_next();
    return events_.processed();
  }
  Time latest_start() const { return *std::max_element(starts_.begin(), starts_.end()); }
  // Bytes of a rank, of which `tokens` count `bytes` each.
  double per_rank(uint64_t tokens, uint64_t bytes) const { return static_cast<double>(tokens * bytes) / setup_.ep; }
  static void raise(std::vector<Time>& of_ranks, int rank, Time to) {
    Time& at = of_ranks[static_cast<size_t>(rank)];
    at = std::max(at, to);
  }

  const Platform& platform_;
  const Costs& costs_;
  const Setup& setup_;
  const Channels& channels_;
  const std::vector<Time>& starts_;
  EventQueue events_;
  NvLink links_;
  std::vector<Time> ends_, issued_, arrived_;
};

// `events`: how many there were is added to it.
template <class Kernel>
OpResult perform(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
                 const std::vector<Time>& starts, uint64_t& events) {
  Kernel kernel(platform, costs, setup, channels, starts);
  events += kernel.run();
  return kernel.result();
}

}  // namespace shmemu::deepep
