// Collectives of NVSHMEM on teams: the endpoint that src/collectives runs on, and the host's barrier.
#pragma once
#include <cstdint>

namespace shmemu::emu {

// A barrier of a team as a host call; team 0 is the world. `caller`: the call it is a part of, for reports.
void host_barrier(uint64_t site, int team = 0, const char* caller = nullptr);
void host_sync(uint64_t site, int team);

}  // namespace shmemu::emu
