// Collectives of NVSHMEM on teams: the endpoint that src/collectives runs on, and the host's barrier.
#pragma once
#include <cstdint>

namespace shmemu::emu {

// nvshmem_barrier_all as a host call.
void host_barrier(uint64_t site);

}  // namespace shmemu::emu
