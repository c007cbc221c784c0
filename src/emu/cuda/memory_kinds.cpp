#include "emu/cuda/memory_kinds.hpp"

#include <algorithm>

#include "emu/cuda/device_facts.hpp"
#include "emu/cuda/pools.hpp"
#include "emu/cuda/virtual_memory.hpp"

namespace shmemu::emu {
namespace {

// The range of an ordered map start → bytes that holds `a`.
std::optional<std::pair<uint64_t, uint64_t>> range_of(const std::map<uint64_t, uint64_t>& ranges, uint64_t a) {
  auto at = ranges.upper_bound(a);
  if (at == ranges.begin()) return std::nullopt;
  --at;
  if (a - at->first >= std::max<uint64_t>(at->second, 1)) return std::nullopt;
  return *at;
}

// __device__ and __constant__ variables lie in the PE's copy of the program.
const shmemu_variable* variable_at(const Pe& pe, uint64_t a) {
  for (auto& [unit, modules] : pe.registry.modules)
    for (const shmemu_module* m : modules)
      for (uint64_t i = 0; i < m->variable_count; ++i)
        if (a - reinterpret_cast<uint64_t>(m->variables[i].address) < std::max<uint64_t>(m->variables[i].bytes, 1))
          return &m->variables[i];
  return nullptr;
}

}  // namespace

MemoryBlock block_of(Pe& pe, const void* p) {
  auto a = reinterpret_cast<uint64_t>(p);
  World& world = pe.world;
  for (const Arena* arena : {&world.device_memory, &world.heap}) {
    if (!arena->contains(a)) continue;
    int slot = arena->slot_of(a);
    GpuId gpu = arena == &world.heap ? world.all_pes[static_cast<size_t>(slot)]->gpu : GpuId{slot};
    const Allocation* found = arena->find(a);
    bool inside = found && a - arena->base(slot) - found->offset < found->bytes;
    if (!inside) return {MemoryKind::device, a, 0, gpu};
    uint64_t base = arena->base(slot) + found->offset;
    if (auto mapped = mapping_at(pe, a)) return {MemoryKind::device, mapped->address, mapped->bytes, mapped->gpu};
    return {MemoryKind::device, base, found->bytes, gpu};
  }
  if (auto range = range_of(pe.cuda.pinned, a)) return {MemoryKind::pinned, range->first, range->second, pe.gpu};
  if (auto range = range_of(pe.cuda.managed, a)) return {MemoryKind::managed, range->first, range->second, pe.gpu};
  if (a - pe.copy.base < (1ull << 32))
    if (const shmemu_variable* v = variable_at(pe, a)) {
      // host and device share a __managed__ variable: its shadow is the variable itself
      MemoryKind kind = pe.registry.variables.contains(v->address) ? MemoryKind::managed : MemoryKind::device;
      return {kind, reinterpret_cast<uint64_t>(v->address), v->bytes, current_gpu()};
    }
  return {};
}

bool is_device_address(const World& world, const void* p) {
  auto a = reinterpret_cast<uint64_t>(p);
  return world.heap.contains(a) || world.device_memory.contains(a);
}

bool is_pinned(const Pe& pe, const void* p) {
  auto a = reinterpret_cast<uint64_t>(p);
  return range_of(pe.cuda.pinned, a) || range_of(pe.cuda.managed, a);
}

void* allocate_device(Pe& pe, GpuId gpu, uint64_t bytes, uint64_t alignment, const char* what, uint64_t site) {
  uint64_t memory = pe.world.platform.gpu.memory;
  bool may_be_full = bytes > memory / 4 || pe.world.device_memory.used(gpu.value) > memory / 4;
  if (may_be_full && bytes > memory - memory_in_use(pe.world, gpu)) return nullptr;
  void* p = pe.world.device_memory.allocate(gpu.value, bytes, alignment, what, site);
  if (p) kept<DeviceAllocations>(pe).live[reinterpret_cast<uint64_t>(p)] = {gpu, bytes, nullptr};
  return p;
}

bool release_device(Pe& pe, uint64_t address) {
  auto& live = kept<DeviceAllocations>(pe).live;
  auto at = live.find(address);
  if (at == live.end() || at->second.freeing) return false;
  if (at->second.pool) at->second.pool->used -= at->second.bytes;
  live.erase(at);
  return pe.world.device_memory.release(address);
}

}  // namespace shmemu::emu
