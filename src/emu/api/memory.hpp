// Collective allocation in the symmetric heap, for the calls of NVSHMEM and OpenSHMEM. `what` is the call.
#pragma once
#include <cstddef>
#include <cstdint>

namespace shmemu::emu {

// Null for 0 bytes or when the heap is full. Ends with a barrier of all PEs.
void* allocate_symmetric(size_t bytes, size_t alignment, bool clear, const char* what, uint64_t site);
// Begins with a barrier of all PEs.
void free_symmetric(void* p, const char* what, uint64_t site);
// Where the caller can load and store the copy of `p` on PE `pe`; null when it cannot, or `p` is not symmetric.
void* symmetric_pointer(const void* p, int pe, const char* call, uint64_t site);

}  // namespace shmemu::emu
