// Start and end of NVSHMEM on a PE.
#pragma once
#include <vector>

#include "emu/core/arena.hpp"
#include "emu/core/pe.hpp"

namespace shmemu::emu {

// The state before nvshmem_init; reserves the library's memory of `teams` teams at the start of the PE's heap.
ShmemState new_shmem_state(Arena& heap, int pe, const Scratch& scratch, int teams);
// The same for the word that counts messages to the PE's host; its offset.
uint64_t reserve_inbox_counter(Arena& heap, int pe);

// Collective over `members`, which become the PEs of the job in this order; without them over all PEs of the run.
void initialise(std::vector<PeId> members, const char* call, uint64_t site);
void initialise(const char* call, uint64_t site);
void finalise(const char* call, uint64_t site);

}  // namespace shmemu::emu
