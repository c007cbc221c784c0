// The messages between nodes as a GOAL schedule, the input of LogGOPSim (Hoefler et al.), so that another simulator can
// check the network part: per rank the sends and receives of dispatch, then those of combine, which wait for all
// receives before them. NVLink, doorbells, counts and credits are not in it.
#pragma once
#include <filesystem>

#include "deepep/routing.hpp"

namespace shmemu::deepep {

// UserError(usage) when the file cannot be written.
void write_goal(const std::filesystem::path& file, const Setup& setup, const Routing& routing, int ranks_per_node);

}  // namespace shmemu::deepep
