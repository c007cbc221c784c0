// Virtual memory management of the driver API: address ranges, physical allocations and what is mapped where.
// A range lies in the device arena, so its addresses are the same in every run; physical memory is a memory file, so
// that it can be mapped twice and handed to another PE. Sleeping polls do not see writes through another mapping.
#pragma once
#include <optional>

#include "emu/core/world.hpp"

namespace shmemu::emu {

struct Mapping {
  uint64_t address = 0, bytes = 0;
  GpuId gpu;
};
// What is mapped at an address of a reserved range.
std::optional<Mapping> mapping_at(const Pe& pe, uint64_t address);
// False if the bytes touch a reserved range of the PE where nothing is mapped or access has not been granted.
bool accessible(const Pe& pe, uint64_t address, uint64_t bytes);
// Physical bytes that the PE has created on a GPU, and arena bytes that are only address ranges.
uint64_t created_bytes(const Pe& pe, GpuId gpu);
uint64_t reserved_bytes(const Pe& pe, GpuId gpu);
// Whether the bytes are mappings of memory made by cuMemCreate, from the start of the first one.
bool is_created_memory(const Pe& pe, uint64_t address, uint64_t bytes);
// Maps that memory a second time at `place`, and plain memory again.
void map_again(const Pe& pe, uint64_t address, uint64_t bytes, uint64_t place);
void unmap_again(uint64_t place, uint64_t bytes);

}  // namespace shmemu::emu
