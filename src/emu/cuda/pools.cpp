// Stream-ordered allocation. Memory is taken from the device when it is asked for and given back when the stream gets to
// the free; what a pool keeps in between only shows in its attributes.
#include "emu/cuda/pools.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "emu/cuda/capture.hpp"
#include "emu/cuda/device_facts.hpp"
#include "emu/cuda/memory_kinds.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

constexpr uint64_t kPoolStep = 32 << 20;  // seen on an H200: one small allocation reserves 32 MiB

struct Pools {
  std::vector<std::unique_ptr<MemoryPool>> all;
  std::map<int, MemoryPool*> defaults, current;  // by device
};

MemoryPool* find_pool(Pe& pe, cudaMemPool_t handle) {
  for (auto& pool : kept<Pools>(pe).all)
    if (pool.get() == reinterpret_cast<MemoryPool*>(handle)) return pool.get();
  return nullptr;
}

MemoryPool* new_pool(Pe& pe, int device) {
  auto& all = kept<Pools>(pe).all;
  all.push_back(std::make_unique<MemoryPool>());
  all.back()->gpu = gpu_of_device(pe, device);
  all.back()->device = device;
  return all.back().get();
}

MemoryPool* default_pool(Pe& pe, int device) {
  MemoryPool*& pool = kept<Pools>(pe).defaults[device];
  if (!pool) pool = new_pool(pe, device), pool->is_default = true;
  return pool;
}

MemoryPool* current_pool(Pe& pe, int device) {
  auto& current = kept<Pools>(pe).current;
  auto at = current.find(device);
  return at != current.end() ? at->second : default_pool(pe, device);
}

cudaError_t allocate(void** out, size_t bytes, MemoryPool* pool, cudaStream_t handle, uint64_t site) {
  Pe& pe = *g_current.pe;
  if (!out || !pool) return remember(cudaErrorInvalidValue);
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  if (capture_of(pe, *stream)) return remember(cudaErrorNotSupported);  // nodes that allocate are not emulated
  *out = nullptr;
  charge(pe.world.platform.host.api_call);
  if (!bytes) return cudaSuccess;
  void* p = allocate_device(pe, pool->gpu, bytes, 512, "cudaMallocAsync", site);
  if (!p) return remember(cudaErrorMemoryAllocation);
  kept<DeviceAllocations>(pe).live[reinterpret_cast<uint64_t>(p)].pool = pool;
  pool->used += bytes;
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved = std::max(pool->reserved, (pool->used + kPoolStep - 1) / kPoolStep * kPoolStep);
  pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  *out = p;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t stream) {
  Pe& pe = *g_current.pe;
  return allocate(out, bytes, current_pool(pe, pe.cuda.device), stream, SHMEMU_SITE());
}

cudaError_t cudaMallocFromPoolAsync(void** out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return allocate(out, bytes, find_pool(*g_current.pe, pool), stream, SHMEMU_SITE());
}

cudaError_t cudaFreeAsync(void* p, cudaStream_t handle) {
  Pe& pe = *g_current.pe;
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  if (!p) return cudaSuccess;
  if (capture_of(pe, *stream)) return remember(cudaErrorNotSupported);
  auto address = reinterpret_cast<uint64_t>(p);
  auto& live = kept<DeviceAllocations>(pe).live;
  auto at = live.find(address);
  if (at == live.end() || at->second.freeing) return remember(cudaErrorInvalidValue);
  at->second.freeing = true;
  enqueue(*stream, OpKind::host_work, "free", {}, [&pe, address](const device::CommandRef& c) {
    auto& list = kept<DeviceAllocations>(pe).live;
    if (auto entry = list.find(address); entry != list.end()) entry->second.freeing = false;
    release_device(pe, address);
    pe.world.machine.finish(c);
  });
  charge(pe.world.platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* out, const cudaMemPoolProps* properties) {
  if (!out || !properties || properties->allocType != cudaMemAllocationTypePinned)
    return remember(cudaErrorInvalidValue);
  if (properties->handleTypes != cudaMemHandleTypeNone) return remember(cudaErrorNotSupported);
  if (properties->location.type != cudaMemLocationTypeDevice || !is_device(properties->location.id))
    return remember(cudaErrorInvalidValue);
  *out = reinterpret_cast<cudaMemPool_t>(new_pool(*g_current.pe, properties->location.id));
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

// A pool may go while its allocations live: they stay until they are freed.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  Pe& pe = *g_current.pe;
  MemoryPool* pool = find_pool(pe, handle);
  if (!pool || pool->is_default) return remember(cudaErrorInvalidValue);
  for (auto& [address, allocation] : kept<DeviceAllocations>(pe).live)
    if (allocation.pool == pool) allocation.pool = nullptr;
  Pools& pools = kept<Pools>(pe);
  std::erase_if(pools.current, [&](auto& entry) { return entry.second == pool; });
  std::erase_if(pools.all, [&](auto& entry) { return entry.get() == pool; });
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
  MemoryPool* pool = find_pool(*g_current.pe, handle);
  if (!pool) return remember(cudaErrorInvalidValue);
  uint64_t least = (std::max<uint64_t>(keep, pool->used) + kPoolStep - 1) / kPoolStep * kPoolStep;
  pool->reserved = std::min(pool->reserved, least);
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  MemoryPool* pool = find_pool(*g_current.pe, handle);
  if (!pool || !value) return remember(cudaErrorInvalidValue);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *static_cast<int*>(value) != 0;
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: pool->release_threshold = *static_cast<uint64_t*>(value); return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:  // may only be reset
      if (*static_cast<uint64_t*>(value)) return remember(cudaErrorInvalidValue);
      (attribute == cudaMemPoolAttrUsedMemHigh ? pool->used_high : pool->reserved_high) =
          attribute == cudaMemPoolAttrUsedMemHigh ? pool->used : pool->reserved;
      return cudaSuccess;
    default: return remember(cudaErrorInvalidValue);
  }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  MemoryPool* pool = find_pool(*g_current.pe, handle);
  if (!pool || !value) return remember(cudaErrorInvalidValue);
  auto* word = static_cast<uint64_t*>(value);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: *word = pool->release_threshold; return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent: *word = pool->reserved; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh: *word = pool->reserved_high; return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent: *word = pool->used; return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh: *word = pool->used_high; return cudaSuccess;
    default: return remember(cudaErrorInvalidValue);
  }
}

// Every device of an NVLink domain reaches the memory anyway; what cannot be reached is refused.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* list, size_t count) {
  MemoryPool* pool = find_pool(*g_current.pe, handle);
  if (!pool || (count && !list)) return remember(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    int device = list[i].location.id;
    if (list[i].location.type != cudaMemLocationTypeDevice || !is_device(device)) return remember(cudaErrorInvalidValue);
    bool reaches = device == pool->device || are_peers(device, pool->device);
    if (!reaches && list[i].flags != cudaMemAccessFlagsProtNone) return remember(cudaErrorPeerAccessUnsupported);
    if (device == pool->device && list[i].flags == cudaMemAccessFlagsProtNone) return remember(cudaErrorInvalidDevice);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (!pool) return remember(cudaErrorInvalidValue);
  if (!is_device(device)) return remember(cudaErrorInvalidDevice);
  *pool = reinterpret_cast<cudaMemPool_t>(default_pool(*g_current.pe, device));
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (!pool) return remember(cudaErrorInvalidValue);
  if (!is_device(device)) return remember(cudaErrorInvalidDevice);
  *pool = reinterpret_cast<cudaMemPool_t>(current_pool(*g_current.pe, device));
  return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  MemoryPool* pool = find_pool(*g_current.pe, handle);
  if (!is_device(device)) return remember(cudaErrorInvalidDevice);
  if (!pool || pool->device != device) return remember(cudaErrorInvalidValue);
  kept<Pools>(*g_current.pe).current[device] = pool;
  return cudaSuccess;
}

}  // extern "C"
