// Rule perf.algo-switch: a collective takes much longer beyond the size where NVSHMEM changes its algorithm. Place:
// told of every collective by its leaders, asked at the end of a run.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "report/findings.hpp"

namespace shmemu {

class AlgorithmSwitch {
 public:
  struct Call {
    std::string collective;  // and its scope
    int pes = 0;
    uint64_t bytes = 0;  // per PE
    std::string_view algorithm;
    Time took;
    PeId pe;
    uint64_t site = 0;
  };
  void add(const Call& call);
  // Of the worst step between two sizes of one collective, when the larger is at most twice the smaller.
  std::optional<Finding> finding(
      const std::function<FindingPlace(PeId, uint64_t site, const std::string&)>& place) const;

 private:
  std::map<std::tuple<std::string, int>, std::map<uint64_t, Call>> fastest_;  // by size
};

}  // namespace shmemu
