// Who owns which memory: a PE's device allocations and pinned host ranges, and what CUDA knows about an address.
#pragma once
#include <map>

#include "emu/cuda/runtime_state.hpp"

namespace shmemu::emu {

struct MemoryPool;

// A PE's own allocations of device memory, by address.
struct DeviceAllocation {
  GpuId gpu;
  uint64_t bytes = 0;
  MemoryPool* pool = nullptr;  // of a stream-ordered allocation
  bool freeing = false;        // cudaFreeAsync was called, its stream has not got there yet
};
struct DeviceAllocations {
  std::map<uint64_t, DeviceAllocation> live;
};
// Null when the GPU has not that much left.
void* allocate_device(Pe& pe, GpuId gpu, uint64_t bytes, uint64_t alignment, const char* what, uint64_t site);
// False if the PE has no such allocation.
bool release_device(Pe& pe, uint64_t address);

struct PinnedRange {
  unsigned flags = 0;
  bool registered = false;  // cudaHostRegister: the program owns the memory
};
struct PinnedRanges {
  std::map<uint64_t, PinnedRange> by_start;  // sizes: CudaState::pinned
};

}  // namespace shmemu::emu
