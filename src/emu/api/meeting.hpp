// How PEs that only share a number come together: each gives its rank, and gets the PEs of all ranks when the last one
// has come.
#pragma once
#include <cstdint>
#include <vector>

#include "base/ids.hpp"

namespace shmemu::emu {

std::vector<PeId> meet_by_rank(uint64_t key, int rank, int ranks, const char* call, uint64_t site);

}  // namespace shmemu::emu
