// Where experts live: as EPLB (deepseek-ai/EPLB, global policy) places them, hot experts copied and copies packed onto
// ranks so that loads become even. Pure.
#pragma once
#include <vector>

#include "deepep/routing.hpp"

namespace shmemu::deepep {

struct ExpertPlacement {
  int slots_per_rank = 0;
  std::vector<std::vector<int>> slots;  // of each expert: numbers rank * slots_per_rank + i
};

// `copies` further slots beyond one per expert; (experts + copies) must be a multiple of `ranks` (UserError otherwise).
ExpertPlacement balance(const std::vector<uint64_t>& load, int ranks, int copies);
// Each selection goes to one of its expert's slots, in turn. The result's experts are slots.
Routing place_experts(const Routing& routing, const ExpertPlacement& placement);
std::vector<uint64_t> loads_of(const Routing& routing);

}  // namespace shmemu::deepep
