// One prediction: checks the setup, generates the routing if none is given, performs the protocol. Place: what tools
// and tests call.
#pragma once
#include "deepep/costs.hpp"
#include "deepep/results.hpp"
#include "deepep/routing.hpp"
#include "deepep/spans.hpp"

namespace shmemu::deepep {

// `routing` null: the script's generator. `spans` null: no timeline.
Results run(const Platform& platform, const Costs& costs, const Setup& setup, const Routing* routing = nullptr,
            Spans* spans = nullptr);

}  // namespace shmemu::deepep
