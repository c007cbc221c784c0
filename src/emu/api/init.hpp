// Start and end of NVSHMEM on a PE.
#pragma once
#include "emu/core/arena.hpp"
#include "emu/core/pe.hpp"

namespace shmemu::emu {

// The state before nvshmem_init; reserves the signal words of team synchronisation at the start of the PE's heap.
ShmemState new_shmem_state(Arena& heap, int pe);

}  // namespace shmemu::emu
