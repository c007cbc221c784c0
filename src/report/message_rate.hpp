// Small messages over a network, counted: whether the number of requests, not their bytes, is what a run waits for.
// Place: fed by RunReport with every transfer, asked at the end of a run. Says nothing about NVLink, where stores of a
// warp are one packet.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "report/findings.hpp"
#include "transports/op.hpp"

namespace shmemu {

class MessageRate {
 public:
  void add(const Op& op, uint64_t bytes) {
    if (bytes > kSmall || op.issuer == op.target) return;
    Sum& sum = sums_[{op.issuer, op.target}];
    ++sum.messages, sum.bytes += bytes;
    if (!sum.votes) sum.site = op.site, sum.kind = op.kind;
    sum.site == op.site ? ++sum.votes : --sum.votes;
  }
  struct Limit {
    std::function<bool(PeId, PeId)> over_network;
    Time request;      // who drives the adapter needs so long for each
    std::string what;  // who, and where the number stands
    Rate wire;
    Time end;  // of the run
    std::function<FindingPlace(PeId, uint64_t site, OpKind)> place = {};
  };
  // Of the PE with most small messages, if these take a third of the run or more.
  std::optional<Finding> finding(const Limit& limit) const;

 private:
  static constexpr uint64_t kSmall = 256;  // bytes; larger ones begin to need the wire
  struct Sum {
    uint64_t messages = 0, bytes = 0;
    uint64_t site = 0, votes = 0;  // of most of them, if more than half come from one place
    OpKind kind = OpKind::none;
  };
  std::map<std::pair<PeId, PeId>, Sum> sums_;
};

}  // namespace shmemu
