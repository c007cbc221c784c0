// Intervals of a run for a timeline: who did what on which row. Collected only when asked; a value.
#pragma once
#include <string>
#include <vector>

#include "base/time.hpp"

namespace shmemu::deepep {

struct Span {
  int rank;
  std::string track;  // "kernel", "adapter out", …
  std::string name;
  Time from, to;
  uint64_t bytes = 0;
  int target = -1;
};
using Spans = std::vector<Span>;

}  // namespace shmemu::deepep
