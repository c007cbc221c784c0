// What large transfers wait for: too few blocks that issue them (perf.issue-limited), or one adapter that carries most
// of a node's traffic (perf.nic-imbalance). Place: fed by RunReport with every transfer, asked at the end of a run.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "report/findings.hpp"
#include "transports/op.hpp"

namespace shmemu {

class TransferLimits {
 public:
  void add(const Op& op, uint64_t bytes, Time from, Time to);
  struct Limit {
    std::function<bool(PeId, PeId)> over_network;
    std::function<int(PeId)> node, adapter;  // of a PE; adapters by number in the whole cluster
    std::function<int(int)> adapters;        // of a node that have a PE
    std::function<FindingPlace(PeId, uint64_t site, OpKind)> place;
    Rate link, wire;  // between two GPUs of a node; of an adapter
    Time end;         // of the run
  };
  std::vector<Finding> findings(const Limit& limit) const;

 private:
  static constexpr uint64_t kLarge = 32 << 10;  // bytes: a copy loop is past its start
  struct Sum {
    uint64_t bytes = 0, transfers = 0;
    Time busy, each;  // some transfer is under way; the sum of all
    Time until;       // end of the busy time so far
    uint64_t site = 0, most = 0;
    OpKind kind = OpKind::none;
  };
  std::optional<Finding> issue_limited(const Limit& limit) const;
  std::optional<Finding> nic_imbalance(const Limit& limit) const;
  std::map<std::pair<PeId, PeId>, Sum> loops_;  // large ones that a kernel makes
  std::map<std::pair<PeId, PeId>, Sum> all_;
};

}  // namespace shmemu
