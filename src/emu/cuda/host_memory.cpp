// Pinned host memory: allocated here or registered by the program.
#include <algorithm>
#include <cstdlib>

#include "emu/cuda/memory_kinds.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

constexpr unsigned kAllocFlags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned kRegisterFlags =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

// Any byte of [begin, end) in a pinned range.
bool overlaps_pinned(const Pe& pe, uint64_t begin, uint64_t end) {
  return std::any_of(pe.cuda.pinned.begin(), pe.cuda.pinned.end(),
                     [&](auto& range) { return range.first < end && begin < range.first + range.second; });
}

void forget(Pe& pe, uint64_t start) {
  pe.cuda.pinned.erase(start);
  kept<PinnedRanges>(pe).by_start.erase(start);
}

}  // namespace

extern "C" {

cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned flags) {
  if (!out || (flags & ~kAllocFlags)) return remember(cudaErrorInvalidValue);
  if (cudaError_t e = forbidden_in_capture()) return e;
  *out = nullptr;
  if (!bytes) return cudaSuccess;
  *out = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!*out) return remember(cudaErrorMemoryAllocation);
  Pe& pe = *g_current.pe;
  auto start = reinterpret_cast<uint64_t>(*out);
  pe.cuda.pinned[start] = bytes;
  kept<PinnedRanges>(pe).by_start[start] = {flags | cudaHostAllocMapped, false};
  charge(pe.world.platform.host.malloc_call);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** out, size_t bytes) { return cudaHostAlloc(out, bytes, cudaHostAllocDefault); }

cudaError_t cudaFreeHost(void* p) {
  if (cudaError_t e = forbidden_in_capture()) return e;
  if (!p) return cudaSuccess;
  Pe& pe = *g_current.pe;
  wait_for_device(SHMEMU_SITE());
  auto& ranges = kept<PinnedRanges>(pe).by_start;
  auto at = ranges.find(reinterpret_cast<uint64_t>(p));
  if (at == ranges.end() || at->second.registered) return remember(cudaErrorInvalidValue);
  forget(pe, at->first);
  std::free(p);
  charge(pe.world.platform.host.malloc_call);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* p, size_t bytes, unsigned flags) {
  if (!p || !bytes || (flags & ~kRegisterFlags)) return remember(cudaErrorInvalidValue);
  if (cudaError_t e = forbidden_in_capture()) return e;
  Pe& pe = *g_current.pe;
  auto start = reinterpret_cast<uint64_t>(p);
  if (overlaps_pinned(pe, start, start + bytes)) {
    auto& ranges = kept<PinnedRanges>(pe).by_start;
    auto own = ranges.upper_bound(start);
    bool allocated = own != ranges.begin() && !std::prev(own)->second.registered && is_pinned(pe, p);
    return remember(allocated ? cudaErrorInvalidValue : cudaErrorHostMemoryAlreadyRegistered);
  }
  if (block_of(pe, p).kind != MemoryKind::unknown) return remember(cudaErrorInvalidValue);
  if (flags & cudaHostRegisterIoMemory) return remember(cudaErrorNotSupported);
  pe.cuda.pinned[start] = bytes;
  kept<PinnedRanges>(pe).by_start[start] = {flags | cudaHostRegisterMapped, true};
  charge(pe.world.platform.host.malloc_call);
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* p) {
  if (cudaError_t e = forbidden_in_capture()) return e;
  Pe& pe = *g_current.pe;
  auto& ranges = kept<PinnedRanges>(pe).by_start;
  auto at = ranges.find(reinterpret_cast<uint64_t>(p));
  if (at == ranges.end())
    return remember(is_pinned(pe, p) ? cudaErrorInvalidValue : cudaErrorHostMemoryNotRegistered);
  if (!at->second.registered) return remember(cudaErrorInvalidValue);
  wait_for_device(SHMEMU_SITE());
  forget(pe, at->first);
  charge(pe.world.platform.host.malloc_call);
  return cudaSuccess;
}

// One address space: the host's address is the device's.
cudaError_t cudaHostGetDevicePointer(void** out, void* p, unsigned flags) {
  if (!out || flags || block_of(*g_current.pe, p).kind != MemoryKind::pinned) return remember(cudaErrorInvalidValue);
  *out = p;
  return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* p) {
  Pe& pe = *g_current.pe;
  MemoryBlock block = block_of(pe, p);
  if (!flags || block.kind != MemoryKind::pinned) return remember(cudaErrorInvalidValue);
  *flags = kept<PinnedRanges>(pe).by_start[block.base].flags;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* p) {
  if (!out) return remember(cudaErrorInvalidValue);
  Pe& pe = *g_current.pe;
  MemoryBlock block = block_of(pe, p);
  void* address = const_cast<void*>(p);
  int device = device_of_gpu(pe, block.gpu).value_or(cudaInvalidDeviceId);
  switch (block.kind) {
    case MemoryKind::unknown: *out = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address}; break;
    case MemoryKind::pinned: *out = {cudaMemoryTypeHost, device, address, address}; break;
    case MemoryKind::managed: *out = {cudaMemoryTypeManaged, device, address, address}; break;
    case MemoryKind::device: *out = {cudaMemoryTypeDevice, device, address, nullptr}; break;
  }
  return cudaSuccess;
}

}  // extern "C"
