#include "emu/cuda/virtual_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <map>
#include <memory>

#include "cuda.h"
#include "emu/cuda/device_facts.hpp"
#include "emu/cuda/driver.hpp"

namespace shmemu::emu {
namespace {

constexpr uint64_t kGranularity = 2 << 20;  // seen on an H200, minimum and recommended

// Memory without an address. Lives as long as a handle or a mapping.
struct Physical {
  Physical(int f, uint64_t b, GpuId g, CUmemAllocationProp p) : file(f), bytes(b), gpu(g), properties(p) {}
  ~Physical() { close(file); }
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;
  int file;
  uint64_t bytes;
  GpuId gpu;
  CUmemAllocationProp properties;
};

struct Mapped {
  uint64_t bytes = 0;
  std::shared_ptr<Physical> physical;
  CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
};

struct VirtualMemory {
  std::map<uint64_t, uint64_t> ranges;  // reserved: start → bytes
  std::map<uint64_t, Mapped> mapped;    // by address
  struct Handle {
    std::shared_ptr<Physical> physical;
    int references = 1;
  };
  std::map<CUmemGenericAllocationHandle, Handle> handles;
  CUmemGenericAllocationHandle next = 1;
};

// Null for a PE that has never reserved anything.
const VirtualMemory* memory_of(const Pe& pe) {
  auto at = pe.cuda.kept.find(typeid(VirtualMemory));
  return at == pe.cuda.kept.end() ? nullptr : static_cast<const VirtualMemory*>(at->second.get());
}

// The entry of an ordered map by start that may hold `address`.
template <class Map>
auto before(Map& map, uint64_t address) {
  auto at = map.upper_bound(address);
  return at == map.begin() ? map.end() : std::prev(at);
}

void* at(uint64_t address) { return reinterpret_cast<void*>(address); }

// Address space that nobody may touch, or plain memory again when the range goes back to the arena.
void cover(uint64_t address, uint64_t bytes, int protection) {
  mmap(at(address), bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

bool aligned(uint64_t value) { return value % kGranularity == 0; }

bool is_supported(const CUmemAllocationProp* p) {
  return p && p->type == CU_MEM_ALLOCATION_TYPE_PINNED && p->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
         is_device(p->location.id);
}

CUmemGenericAllocationHandle add_handle(VirtualMemory& memory, std::shared_ptr<Physical> physical) {
  memory.handles[memory.next] = {std::move(physical), 1};
  return memory.next++;
}

// The reserved range that holds all of [address, address + bytes).
bool in_range(VirtualMemory& memory, uint64_t address, uint64_t bytes) {
  auto range = before(memory.ranges, address);
  return range != memory.ranges.end() && address - range->first < range->second &&
         bytes <= range->second - (address - range->first);
}

// Calls `f(address, mapped)` for the mappings that make up exactly [address, address + bytes); false if they do not.
template <class F>
bool for_each_mapping(VirtualMemory& memory, uint64_t address, uint64_t bytes, F f) {
  std::vector<uint64_t> starts;
  for (uint64_t a = address; a < address + bytes;) {
    auto mapping = memory.mapped.find(a);
    if (mapping == memory.mapped.end() || mapping->second.bytes > address + bytes - a) return false;
    starts.push_back(a);
    a += mapping->second.bytes;
  }
  for (uint64_t a : starts) f(a, memory.mapped[a]);
  return bytes > 0;
}

// The name of a memory file says which GPU's memory it is, for handles that come from another PE.
std::string file_name(GpuId gpu) { return "shmemu-gpu" + std::to_string(gpu.value); }

std::optional<GpuId> gpu_of_file(int file) {
  char name[64] = {};
  ssize_t n = readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), name, sizeof name - 1);
  std::string_view text(name, n > 0 ? static_cast<size_t>(n) : 0);
  constexpr std::string_view kPrefix = "/memfd:shmemu-gpu";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  int gpu = 0;
  std::from_chars(text.data() + kPrefix.size(), text.data() + text.size(), gpu);
  return GpuId{gpu};
}

}  // namespace

std::optional<Mapping> mapping_at(const Pe& pe, uint64_t address) {
  const VirtualMemory* memory = memory_of(pe);
  if (!memory) return std::nullopt;
  auto entry = before(memory->mapped, address);
  if (entry == memory->mapped.end() || address - entry->first >= entry->second.bytes) return std::nullopt;
  return Mapping{entry->first, entry->second.bytes, entry->second.physical->gpu};
}

bool accessible(const Pe& pe, uint64_t address, uint64_t bytes) {
  const VirtualMemory* memory = memory_of(pe);
  if (!memory) return true;
  auto range = before(memory->ranges, address);
  if (range == memory->ranges.end() || address - range->first >= range->second) return true;
  for (uint64_t a = address; a < address + bytes;) {
    auto entry = before(memory->mapped, a);
    if (entry == memory->mapped.end() || a - entry->first >= entry->second.bytes ||
        entry->second.access == CU_MEM_ACCESS_FLAGS_PROT_NONE)
      return false;
    a = entry->first + entry->second.bytes;
  }
  return true;
}

uint64_t created_bytes(const Pe& pe, GpuId gpu) {
  const VirtualMemory* memory = memory_of(pe);
  if (!memory) return 0;
  std::map<const Physical*, uint64_t> all;  // each once
  auto add = [&](const std::shared_ptr<Physical>& p) { all[p.get()] = p->gpu == gpu ? p->bytes : 0; };
  for (auto& [number, handle] : memory->handles) add(handle.physical);
  for (auto& [address, mapped] : memory->mapped) add(mapped.physical);
  uint64_t sum = 0;
  for (auto& [physical, bytes] : all) sum += bytes;
  return sum;
}

uint64_t reserved_bytes(const Pe& pe, GpuId gpu) {
  const VirtualMemory* memory = memory_of(pe);
  uint64_t sum = 0;
  if (memory)
    for (auto& [start, bytes] : memory->ranges) sum += pe.world.device_memory.slot_of(start) == gpu.value ? bytes : 0;
  return sum;
}

bool is_created_memory(const Pe& pe, uint64_t address, uint64_t bytes) {
  const VirtualMemory* memory = memory_of(pe);
  if (!memory) return false;
  for (uint64_t at = address; at < address + bytes;) {
    auto found = memory->mapped.find(at);
    if (found == memory->mapped.end() || at + found->second.bytes > address + bytes) return false;
    at += found->second.bytes;
  }
  return true;
}

void map_again(const Pe& pe, uint64_t address, uint64_t bytes, uint64_t place) {
  const VirtualMemory& memory = *memory_of(pe);
  for (uint64_t offset = 0; offset < bytes;) {
    const Mapped& m = memory.mapped.at(address + offset);
    void* got = mmap(at(place + offset), m.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, m.physical->file, 0);
    SHMEMU_ASSERT(got != MAP_FAILED, "memory cannot be mapped a second time");
    offset += m.bytes;
  }
}

void unmap_again(uint64_t place, uint64_t bytes) { cover(place, bytes, PROT_READ | PROT_WRITE); }

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

namespace {

VirtualMemory& own_memory() { return kept<VirtualMemory>(*g_current.pe); }

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* out, const CUmemAllocationProp* p,
                                       CUmemAllocationGranularity_flags option) {
  if (CUresult e = driver_ready()) return e;
  if (!out || !is_supported(p) || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) return CUDA_ERROR_INVALID_VALUE;
  *out = kGranularity;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* out, size_t bytes, size_t alignment, CUdeviceptr, unsigned long long flags) {
  if (CUresult e = context_ready()) return e;
  if (!out || !bytes || !aligned(bytes) || flags || (alignment & (alignment - 1))) return CUDA_ERROR_INVALID_VALUE;
  World& world = *g_current.world;
  std::byte* p = world.device_memory.allocate(current_gpu().value, bytes, std::max<uint64_t>(alignment, kGranularity),
                                              "cuMemAddressReserve", SHMEMU_SITE());
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  auto address = reinterpret_cast<uint64_t>(p);
  cover(address, bytes, PROT_NONE);
  own_memory().ranges[address] = bytes;
  *out = address;
  charge(world.platform.host.malloc_call);
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  if (CUresult e = context_ready()) return e;
  VirtualMemory& memory = own_memory();
  auto range = memory.ranges.find(address);
  if (range == memory.ranges.end() || range->second != bytes) return CUDA_ERROR_INVALID_VALUE;
  auto first = memory.mapped.lower_bound(address);
  if (first != memory.mapped.end() && first->first < address + bytes) return CUDA_ERROR_INVALID_VALUE;
  memory.ranges.erase(range);
  cover(address, bytes, PROT_READ | PROT_WRITE);
  g_current.world->device_memory.release(address);
  charge(g_current.world->platform.host.malloc_call);
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* out, size_t bytes, const CUmemAllocationProp* p,
                     unsigned long long flags) {
  if (CUresult e = driver_ready()) return e;
  if (!out || !bytes || !aligned(bytes) || !is_supported(p) || flags) return CUDA_ERROR_INVALID_VALUE;
  if (p->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  Pe& pe = *g_current.pe;
  GpuId gpu = gpu_of_device(pe, p->location.id);
  if (bytes > pe.world.platform.gpu.memory - memory_in_use(pe.world, gpu)) return CUDA_ERROR_OUT_OF_MEMORY;
  int file = memfd_create(file_name(gpu).c_str(), MFD_CLOEXEC);
  if (file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  auto physical = std::make_shared<Physical>(file, bytes, gpu, *p);
  if (ftruncate(file, static_cast<off_t>(bytes))) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = add_handle(own_memory(), std::move(physical));
  charge(pe.world.platform.host.malloc_call);
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  if (CUresult e = driver_ready()) return e;
  auto& handles = own_memory().handles;
  auto found = handles.find(handle);
  if (found == handles.end()) return CUDA_ERROR_INVALID_VALUE;
  if (--found->second.references == 0) handles.erase(found);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  if (CUresult e = context_ready()) return e;
  VirtualMemory& memory = own_memory();
  auto found = memory.handles.find(handle);
  if (flags || offset || !bytes || found == memory.handles.end() || !in_range(memory, address, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (found->second.physical->bytes != bytes) return CUDA_ERROR_NOT_SUPPORTED;  // as an H200 answers
  auto next = memory.mapped.lower_bound(address);
  bool taken = (next != memory.mapped.end() && next->first < address + bytes) || mapping_at(*g_current.pe, address);
  if (taken || !aligned(address)) return CUDA_ERROR_INVALID_VALUE;
  if (mmap(at(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, found->second.physical->file, 0) == MAP_FAILED)
    return CUDA_ERROR_OPERATING_SYSTEM;
  memory.mapped[address] = {bytes, found->second.physical};
  charge(g_current.world->platform.host.malloc_call);
  return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  if (CUresult e = context_ready()) return e;
  VirtualMemory& memory = own_memory();
  if (!bytes || !aligned(bytes) || !in_range(memory, address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  // whole mappings only; a part of the range without one is no error (as an H200 answers)
  for (auto& [start, mapped] : memory.mapped) {
    bool touches = start < address + bytes && address < start + mapped.bytes;
    if (touches && (start < address || start + mapped.bytes > address + bytes)) return CUDA_ERROR_INVALID_VALUE;
  }
  wait_for_device(SHMEMU_SITE());
  memory.mapped.erase(memory.mapped.lower_bound(address), memory.mapped.lower_bound(address + bytes));
  cover(address, bytes, PROT_NONE);
  charge(g_current.world->platform.host.malloc_call);
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* list, size_t count) {
  if (CUresult e = context_ready()) return e;
  if (!list || !count) return CUDA_ERROR_INVALID_VALUE;
  int wanted = CU_MEM_ACCESS_FLAGS_PROT_NONE;  // of any device: who accesses is not told apart
  for (size_t i = 0; i < count; ++i) {
    if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(list[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
    wanted |= list[i].flags;
  }
  int protection = wanted == CU_MEM_ACCESS_FLAGS_PROT_NONE   ? PROT_NONE
                   : wanted == CU_MEM_ACCESS_FLAGS_PROT_READ ? PROT_READ
                                                             : PROT_READ | PROT_WRITE;
  bool whole = for_each_mapping(own_memory(), address, bytes, [&](uint64_t start, Mapped& mapped) {
    mprotect(at(start), mapped.bytes, protection);
    mapped.access = static_cast<CUmemAccess_flags>(wanted);
  });
  if (!whole) return CUDA_ERROR_INVALID_VALUE;
  charge(g_current.world->platform.host.malloc_call);
  return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr address) {
  if (CUresult e = context_ready()) return e;
  VirtualMemory& memory = own_memory();
  auto entry = before(memory.mapped, address);
  if (!flags || !location || entry == memory.mapped.end() || address - entry->first >= entry->second.bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = entry->second.access;
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* out, void* p) {
  if (CUresult e = driver_ready()) return e;
  VirtualMemory& memory = own_memory();
  auto address = reinterpret_cast<uint64_t>(p);
  auto entry = before(memory.mapped, address);
  if (!out || entry == memory.mapped.end() || address - entry->first >= entry->second.bytes)
    return CUDA_ERROR_INVALID_VALUE;
  for (auto& [number, handle] : memory.handles)
    if (handle.physical == entry->second.physical) {
      ++handle.references;
      *out = number;
      return CUDA_SUCCESS;
    }
  *out = add_handle(memory, entry->second.physical);
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* out, CUmemGenericAllocationHandle handle) {
  if (CUresult e = driver_ready()) return e;
  auto& handles = own_memory().handles;
  auto found = handles.find(handle);
  if (!out || found == handles.end()) return CUDA_ERROR_INVALID_VALUE;
  *out = found->second.physical->properties;
  return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void* out, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                                      unsigned long long flags) {
  if (CUresult e = driver_ready()) return e;
  auto& handles = own_memory().handles;
  auto found = handles.find(handle);
  if (!out || flags || found == handles.end()) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  if (!(found->second.physical->properties.requestedHandleTypes & type)) return CUDA_ERROR_INVALID_VALUE;
  int file = dup(found->second.physical->file);
  if (file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  *static_cast<int*>(out) = file;
  return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* out, void* os_handle, CUmemAllocationHandleType type) {
  if (CUresult e = driver_ready()) return e;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  int given = static_cast<int>(reinterpret_cast<intptr_t>(os_handle));
  auto gpu = gpu_of_file(given);
  struct stat about {};
  Pe& pe = *g_current.pe;
  auto device = gpu ? device_of_gpu(pe, *gpu) : std::nullopt;
  if (!device || fstat(given, &about)) return CUDA_ERROR_INVALID_VALUE;
  int file = dup(given);
  if (file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = type;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, *device};
  *out = add_handle(own_memory(), std::make_shared<Physical>(file, static_cast<uint64_t>(about.st_size), *gpu, properties));
  return CUDA_SUCCESS;
}

}  // extern "C"
