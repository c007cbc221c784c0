// Device memory of the CUDA runtime, and copies and fills as commands of streams.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emu/cuda/capture.hpp"
#include "emu/cuda/memory_kinds.hpp"
#include "emu/cuda/virtual_memory.hpp"

namespace shmemu::emu {

using device::CommandRef;
using device::Stream;

namespace {

// Memory that a copy or fill of `bytes` may touch: live allocations on devices; host memory is the program's affair.
bool known_range(Pe& pe, const void* p, size_t bytes) {
  World& world = pe.world;
  auto a = reinterpret_cast<uint64_t>(p);
  if (world.heap.contains(a)) return world.heap.valid(a, bytes);
  if (world.device_memory.contains(a)) return world.device_memory.valid(a, bytes) && accessible(pe, a, bytes);
  return p != nullptr || bytes == 0;
}

bool on_device_side(MemoryKind kind) { return kind == MemoryKind::device; }

Time copy_time(const World& world, const MemoryBlock& to, const MemoryBlock& from, size_t bytes, bool pageable) {
  const HostModel& host = world.platform.host;
  bool d = on_device_side(to.kind), s = on_device_side(from.kind);
  if (d && s && to.gpu == from.gpu) return world.platform.gpu.copy_start + world.platform.gpu.hbm.time_for(2 * bytes);
  if (d && s && world.platform.same_nvlink_domain(to.gpu, from.gpu))
    return world.platform.gpu.flight_remote + world.platform.gpu.nvlink_store.time_for(bytes);
  if (d && s) return host.copy_latency * 2 + host.copy_to_host.time_for(bytes) + host.copy_to_device.time_for(bytes);
  Rate rate = pageable ? host.copy_pageable : d ? host.copy_to_device : host.copy_to_host;
  return host.copy_latency + rate.time_for(bytes);
}

// What a copy or fill accesses, for the checker.
struct Watched {
  struct Rows {
    uint64_t address = 0;
    size_t pitch = 0, width = 0, rows = 0;
    bool write = false;
  };
  std::vector<Rows> parts;
  uint64_t site = 0;
  void tell(Pe& pe, const device::Command& command) const {
    if (!pe.world.checker) return;
    for (const Rows& p : parts)
      for (size_t r = 0; r < p.rows; ++r)
        pe.world.checker->moved(command, p.address + r * p.pitch, p.width, p.write, site);
  }
};

// A command that takes `duration` and then changes the `bytes` at `to` by `change`.
CommandRef enqueue_after(Stream& stream, OpKind kind, const char* name, Time duration, void* to, size_t bytes,
                         std::function<void()> change, const Watched& watched) {
  Pe* pe = g_current.pe;
  auto apply = std::make_shared<std::function<void(const CommandRef&)>>([=](const CommandRef& c) {
    watched.tell(*pe, *c);
    in_name_of(*pe, change);
    pe->world.machine.memory_changed(pe->id, reinterpret_cast<uint64_t>(to), bytes);
    pe->world.machine.finish(c);
  });
  return enqueue(stream, kind, name, {},
                 [pe, duration, apply](const CommandRef& c) {
                   EventQueue& queue = pe->world.queue;
                   queue.at(queue.now() + duration, Rank::memory, [apply, c] { (*apply)(c); });
                 },
                 {}, {.launch = nullptr, .gpu = {}, .duration = duration});
}

// Fills run from low to high addresses; what a large one has reached is visible while it runs.
constexpr size_t kFillPiece = 8 << 20;

// A command that fills `bytes` at `to` by `fill(begin, end)`, piece by piece.
CommandRef enqueue_fill(Stream& stream, Time duration, void* to, size_t bytes, std::function<void(size_t, size_t)> fill,
                        const Watched& watched) {
  Pe* pe = g_current.pe;
  auto apply = std::make_shared<std::function<void(size_t)>>([=](size_t begin) {
    size_t end = std::min(bytes, begin + kFillPiece);
    in_name_of(*pe, [&] { fill(begin, end); });
    pe->world.machine.memory_changed(pe->id, reinterpret_cast<uint64_t>(to) + begin, end - begin);
  });
  return enqueue(stream, OpKind::fill, "fill", {},
                 [=](const CommandRef& c) {
                   watched.tell(*pe, *c);
                   EventQueue& queue = pe->world.queue;
                   auto when = [&](size_t done) {
                     return queue.now() +
                            Time{static_cast<int64_t>(static_cast<double>(duration.ps) * static_cast<double>(done) /
                                                      static_cast<double>(bytes))};
                   };
                   size_t begin = 0;
                   for (; begin + kFillPiece < bytes; begin += kFillPiece)
                     queue.at(when(begin + kFillPiece), Rank::memory, [apply, begin] { (*apply)(begin); });
                   queue.at(queue.now() + duration, Rank::memory, [apply, begin, c, pe] {
                     (*apply)(begin);
                     pe->world.machine.finish(c);
                   });
                 },
                 {}, {.launch = nullptr, .gpu = {}, .duration = duration});
}

}  // namespace

// One copy of `rows` rows of `width` bytes as a command. `pageable` host memory: the source is taken at the call, and
// a copy to the host keeps the caller until it has ended (CUDA runtime documentation, "API synchronization behavior").
cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                      cudaStream_t handle, bool blocking, uint64_t site) {
  Pe& pe = *g_current.pe;
  World& world = pe.world;
  Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  if (width == 0 || rows == 0) return cudaSuccess;
  if (to_pitch < width || from_pitch < width) return remember(cudaErrorInvalidPitchValue);
  if (!known_range(pe, to, to_pitch * (rows - 1) + width) || !known_range(pe, from, from_pitch * (rows - 1) + width))
    return remember(cudaErrorInvalidValue);
  MemoryBlock target = block_of(pe, to), origin = block_of(pe, from);
  bool to_device = on_device_side(target.kind), from_device = on_device_side(origin.kind);
  bool pageable = target.kind == MemoryKind::unknown || origin.kind == MemoryKind::unknown;
  bool captured = capture_of(pe, *stream) != nullptr;  // then the source is read each time the graph runs
  std::shared_ptr<std::vector<std::byte>> staged;
  if (!from_device && pageable && !captured) {
    staged = std::make_shared<std::vector<std::byte>>(width * rows);
    for (size_t r = 0; r < rows; ++r)
      std::memcpy(staged->data() + r * width, static_cast<const char*>(from) + r * from_pitch, width);
  }
  charge(world.platform.host.copy_call);
  Time duration = copy_time(world, target, origin, width * rows, pageable);
  CommandRef command = enqueue_after(*stream, OpKind::copy, "copy", duration, to, to_pitch * (rows - 1) + width,
                                     [=] {
                                       for (size_t r = 0; r < rows; ++r) {
                                         const void* source = staged
                                                                  ? static_cast<const void*>(staged->data() + r * width)
                                                                  : static_cast<const char*>(from) + r * from_pitch;
                                         std::memmove(static_cast<char*>(to) + r * to_pitch, source, width);
                                       }
                                     },
                                     {{{reinterpret_cast<uint64_t>(from), from_pitch, width, rows, false},
                                       {reinterpret_cast<uint64_t>(to), to_pitch, width, rows, true}},
                                      site});
  // a copy inside device memory does not keep the caller, whatever its name
  if ((blocking && !(to_device && from_device)) || (!to_device && pageable)) wait_for(command, site);
  return cudaSuccess;
}

cudaError_t fill_elements(void* to, size_t pitch, uint32_t value, size_t element, size_t width, size_t rows,
                          cudaStream_t handle, bool blocking, uint64_t site) {
  Pe& pe = *g_current.pe;
  Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  if (width == 0 || rows == 0) return cudaSuccess;
  size_t bytes = width * element, extent = pitch * (rows - 1) + bytes;
  MemoryBlock target = block_of(pe, to);
  if ((rows > 1 && pitch < bytes) || reinterpret_cast<uint64_t>(to) % element || target.kind == MemoryKind::unknown ||
      !known_range(pe, to, extent))
    return remember(cudaErrorInvalidValue);
  charge(pe.world.platform.host.fill_call);
  Time duration = pe.world.platform.gpu.fill_start + pe.world.platform.gpu.hbm.time_for(bytes * rows);
  auto fill = [=](char* from, char* upto) {
    if (element == 1) {
      std::memset(from, static_cast<int>(value), static_cast<size_t>(upto - from));
    } else {
      for (; from < upto; from += element) std::memcpy(from, &value, element);
    }
  };
  char* start = static_cast<char*>(to);
  Watched watched{{{reinterpret_cast<uint64_t>(to), pitch, bytes, rows, true}}, site};
  CommandRef command = rows == 1 ? enqueue_fill(
                                       *stream, duration, to, bytes,
                                       [=](size_t from, size_t upto) { fill(start + from, start + upto); }, watched)
                                 : enqueue_after(
                                       *stream, OpKind::fill, "fill", duration, to, extent,
                                       [=] {
                                         for (size_t r = 0; r < rows; ++r)
                                           fill(start + r * pitch, start + r * pitch + bytes);
                                       },
                                       watched);
  // cudaMemset returns before the fill has ended, unless the target is pinned host memory
  if (blocking && !on_device_side(target.kind)) wait_for(command, site);
  return cudaSuccess;
}

cudaError_t fill_rows(void* to, size_t pitch, int value, size_t width, size_t rows, cudaStream_t stream, bool blocking,
                      uint64_t site) {
  return fill_elements(to, pitch, static_cast<uint32_t>(value), 1, width, rows, stream, blocking, site);
}

// The other side may be anything that unified addressing resolves (seen on an H200: cudaMemcpyHostToDevice between two
// device buffers works, cudaMemcpyDeviceToHost from a host array does not).
cudaError_t check_direction(const void* to, const void* from, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return remember(cudaErrorInvalidMemcpyDirection);
  Pe& pe = *g_current.pe;
  auto unknown = [&](const void* p) { return p && block_of(pe, p).kind == MemoryKind::unknown; };
  bool device_to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool device_from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if ((device_to && unknown(to)) || (device_from && unknown(from))) return remember(cudaErrorInvalidValue);
  return cudaSuccess;
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

cudaError_t cudaMalloc(void** out, size_t bytes) {
  if (!out) return remember(cudaErrorInvalidValue);
  *out = nullptr;
  if (cudaError_t e = forbidden_in_capture()) return e;
  if (!bytes) return cudaSuccess;
  charge(g_current.world->platform.host.malloc_call);
  *out = allocate_device(*g_current.pe, current_gpu(), bytes, 512, "cudaMalloc", SHMEMU_SITE());
  return *out ? cudaSuccess : remember(cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* p) {
  if (cudaError_t e = forbidden_in_capture()) return e;
  Pe& pe = *g_current.pe;
  charge(pe.world.platform.host.free_call);
  wait_for_device(SHMEMU_SITE());
  if (!p) return cudaSuccess;
  if (pe.cuda.managed.erase(reinterpret_cast<uint64_t>(p))) {
    std::free(p);
    return cudaSuccess;
  }
  return release_device(pe, reinterpret_cast<uint64_t>(p)) ? cudaSuccess : remember(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (!bytes) return cudaSuccess;
  if (cudaError_t e = check_direction(to, from, kind)) return e;
  return copy_rows(to, bytes, from, bytes, bytes, 1, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (cudaError_t e = check_direction(to, from, kind)) return e;
  return copy_rows(to, bytes, from, bytes, bytes, 1, stream, false, SHMEMU_SITE());
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return fill_rows(to, bytes, value, bytes, 1, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return fill_rows(to, bytes, value, bytes, 1, stream, false, SHMEMU_SITE());
}

}  // extern "C"
