// Memory of the CUDA runtime: allocation, copies and fills as commands of streams.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emu/cuda/runtime_state.hpp"

namespace shmemu::emu {

using device::CommandRef;
using device::Stream;

bool is_device_address(const World& world, const void* p) {
  auto a = reinterpret_cast<uint64_t>(p);
  return world.heap.contains(a) || world.device_memory.contains(a);
}

bool is_pinned(const Pe& pe, const void* p) {
  auto a = reinterpret_cast<uint64_t>(p);
  for (const auto* ranges : {&pe.cuda.pinned, &pe.cuda.managed}) {
    auto at = ranges->upper_bound(a);
    if (at != ranges->begin() && a < std::prev(at)->first + std::prev(at)->second) return true;
  }
  return false;
}

namespace {

bool known_range(const World& world, const void* p, size_t bytes) {
  auto a = reinterpret_cast<uint64_t>(p);
  if (world.heap.contains(a)) return world.heap.valid(a, bytes);
  if (world.device_memory.contains(a)) return world.device_memory.valid(a, bytes);
  return p != nullptr || bytes == 0;
}

Time copy_time(const World& world, const void* to, const void* from, size_t bytes, bool pageable) {
  const HostModel& host = world.platform.host;
  bool d = is_device_address(world, to), s = is_device_address(world, from);
  if (d && s) return world.platform.gpu.hbm.time_for(2 * bytes);
  Rate rate = pageable ? host.copy_pageable : d ? host.copy_to_device : host.copy_to_host;
  return host.copy_latency + rate.time_for(bytes);
}

// A command that takes `duration` and then changes the `bytes` at `to` by `change`.
CommandRef enqueue_after(Stream& stream, OpKind kind, const char* name, Time duration, void* to, size_t bytes,
                         std::function<void()> change) {
  Pe* pe = g_current.pe;
  auto apply = std::make_shared<std::function<void(const CommandRef&)>>([=](const CommandRef& c) {
    in_name_of(*pe, change);
    pe->world.machine.memory_changed(pe->id, reinterpret_cast<uint64_t>(to), bytes);
    pe->world.machine.finish(c);
  });
  return enqueue(stream, kind, name, {}, [pe, duration, apply](const CommandRef& c) {
    EventQueue& queue = pe->world.queue;
    queue.at(queue.now() + duration, Rank::memory, [apply, c] { (*apply)(c); });
  }, {}, {.launch = nullptr, .gpu = {}, .duration = duration});
}

}  // namespace

// One copy of `rows` rows of `width` bytes as a command. `pageable` host memory: the source is taken at the call, and
// a copy to the host keeps the caller until it has ended (CUDA runtime documentation, "API synchronization behavior").
cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                      cudaStream_t handle, bool blocking, uint64_t site) {
  Pe& pe = *g_current.pe;
  World& world = pe.world;
  Stream* stream = find_stream(pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (width == 0 || rows == 0) return cudaSuccess;
  if (to_pitch < width || from_pitch < width) return remember(cudaErrorInvalidPitchValue);
  if (!known_range(world, to, to_pitch * (rows - 1) + width) || !known_range(world, from, from_pitch * (rows - 1) + width))
    return remember(cudaErrorInvalidValue);
  bool to_device = is_device_address(world, to), from_device = is_device_address(world, from);
  bool pageable = (!to_device && !is_pinned(pe, to)) || (!from_device && !is_pinned(pe, from));
  std::shared_ptr<std::vector<std::byte>> staged;
  if (!from_device && pageable) {
    staged = std::make_shared<std::vector<std::byte>>(width * rows);
    for (size_t r = 0; r < rows; ++r)
      std::memcpy(staged->data() + r * width, static_cast<const char*>(from) + r * from_pitch, width);
  }
  Time duration = copy_time(world, to, from, width * rows, pageable);
  CommandRef command = enqueue_after(*stream, OpKind::copy, "copy", duration, to, to_pitch * (rows - 1) + width, [=] {
    for (size_t r = 0; r < rows; ++r) {
      const void* source = staged ? static_cast<const void*>(staged->data() + r * width)
                                  : static_cast<const char*>(from) + r * from_pitch;
      std::memmove(static_cast<char*>(to) + r * to_pitch, source, width);
    }
  });
  charge(world.platform.host.copy_call);
  if (blocking || (!to_device && pageable)) wait_for(command, site);
  return cudaSuccess;
}

cudaError_t fill_rows(void* to, size_t pitch, int value, size_t width, size_t rows, cudaStream_t handle, bool blocking,
                      uint64_t site) {
  Pe& pe = *g_current.pe;
  Stream* stream = find_stream(pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (width == 0 || rows == 0) return cudaSuccess;
  if (pitch < width) return remember(cudaErrorInvalidPitchValue);
  if (!known_range(pe.world, to, pitch * (rows - 1) + width)) return remember(cudaErrorInvalidValue);
  Time duration = pe.world.platform.gpu.kernel_minimum + pe.world.platform.gpu.hbm.time_for(width * rows);
  CommandRef command = enqueue_after(*stream, OpKind::fill, "fill", duration, to, pitch * (rows - 1) + width, [=] {
    for (size_t r = 0; r < rows; ++r) std::memset(static_cast<char*>(to) + r * pitch, value, width);
  });
  charge(pe.world.platform.host.copy_call);
  // cudaMemset returns before the fill has ended, unless the target is pinned host memory
  if (blocking && !is_device_address(pe.world, to)) wait_for(command, site);
  return cudaSuccess;
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

cudaError_t cudaMalloc(void** out, size_t bytes) {
  if (!out) return remember(cudaErrorInvalidValue);
  *out = nullptr;
  if (!bytes) return cudaSuccess;
  World& world = *g_current.world;
  charge(world.platform.host.malloc_call);
  *out = world.device_memory.allocate(current_gpu().value, bytes, 512, "cudaMalloc", SHMEMU_SITE());
  return *out ? cudaSuccess : remember(cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* p) {
  charge(g_current.world->platform.host.malloc_call);
  wait_for_device(SHMEMU_SITE());
  if (!p) return cudaSuccess;
  CudaState& cuda = g_current.pe->cuda;
  if (cuda.managed.erase(reinterpret_cast<uint64_t>(p))) {
    std::free(p);
    return cudaSuccess;
  }
  return g_current.world->device_memory.release(reinterpret_cast<uint64_t>(p)) ? cudaSuccess
                                                                              : remember(cudaErrorInvalidValue);
}

cudaError_t cudaMallocManaged(void** out, size_t bytes, unsigned) {
  if (!out || !bytes) return remember(cudaErrorInvalidValue);
  *out = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (!*out) return remember(cudaErrorMemoryAllocation);
  std::memset(*out, 0, bytes);
  g_current.pe->cuda.managed[reinterpret_cast<uint64_t>(*out)] = bytes;
  charge(g_current.world->platform.host.malloc_call);
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned) {
  if (!out) return remember(cudaErrorInvalidValue);
  *out = std::aligned_alloc(4096, (std::max<size_t>(bytes, 1) + 4095) / 4096 * 4096);
  if (!*out) return remember(cudaErrorMemoryAllocation);
  g_current.pe->cuda.pinned[reinterpret_cast<uint64_t>(*out)] = bytes;
  charge(g_current.world->platform.host.malloc_call);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** out, size_t bytes) { return cudaHostAlloc(out, bytes, 0); }

cudaError_t cudaFreeHost(void* p) {
  if (!p) return cudaSuccess;
  wait_for_device(SHMEMU_SITE());
  if (!g_current.pe->cuda.pinned.erase(reinterpret_cast<uint64_t>(p))) return remember(cudaErrorInvalidValue);
  std::free(p);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (kind > cudaMemcpyDefault) return remember(cudaErrorInvalidMemcpyDirection);
  return copy_rows(to, bytes, from, bytes, bytes, 1, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (kind > cudaMemcpyDefault) return remember(cudaErrorInvalidMemcpyDirection);
  return copy_rows(to, bytes, from, bytes, bytes, 1, stream, false, SHMEMU_SITE());
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return fill_rows(to, bytes, value, bytes, 1, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return fill_rows(to, bytes, value, bytes, 1, stream, false, SHMEMU_SITE());
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind) {
  const shmemu_variable* v = g_current.pe->registry.find_variable(symbol);
  if (!v) return remember(cudaErrorInvalidSymbol);
  if (offset + bytes > v->bytes) return remember(cudaErrorInvalidValue);
  return copy_rows(static_cast<char*>(v->address) + offset, bytes, from, bytes, bytes, 1, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind) {
  const shmemu_variable* v = g_current.pe->registry.find_variable(symbol);
  if (!v) return remember(cudaErrorInvalidSymbol);
  if (offset + bytes > v->bytes) return remember(cudaErrorInvalidValue);
  return copy_rows(to, bytes, static_cast<char*>(v->address) + offset, bytes, bytes, 1, nullptr, true, SHMEMU_SITE());
}

}  // extern "C"
