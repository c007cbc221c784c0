// Managed memory: host memory that kernels use in place. Pages do not move here, so advice changes nothing and a
// prefetch only keeps its place in the stream.
#include <cstdlib>
#include <cstring>

#include "emu/cuda/capture.hpp"
#include "emu/cuda/device_facts.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

bool is_managed(Pe& pe, const void* p, size_t bytes) {
  MemoryBlock block = block_of(pe, p);
  return block.kind == MemoryKind::managed && bytes <= block.bytes - (reinterpret_cast<uint64_t>(p) - block.base);
}

bool is_place(int device) { return device == cudaCpuDeviceId || is_device(device); }

}  // namespace

extern "C" {

cudaError_t cudaMallocManaged(void** out, size_t bytes, unsigned flags) {
  if (!out || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return remember(cudaErrorInvalidValue);
  if (cudaError_t e = forbidden_in_capture()) return e;
  *out = nullptr;
  if (!bytes) return cudaSuccess;
  *out = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (!*out) return remember(cudaErrorMemoryAllocation);
  std::memset(*out, 0, bytes);
  g_current.pe->cuda.managed[reinterpret_cast<uint64_t>(*out)] = bytes;
  charge(g_current.world->platform.host.malloc_call);
  return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void* p, size_t bytes, cudaMemoryAdvise advice, int device) {
  Pe& pe = *g_current.pe;
  if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy || !bytes || !is_managed(pe, p, bytes))
    return remember(cudaErrorInvalidValue);
  bool of_a_place = advice >= cudaMemAdviseSetPreferredLocation && advice != cudaMemAdviseUnsetPreferredLocation;
  if (of_a_place && !is_place(device)) return remember(cudaErrorInvalidDevice);
  charge(pe.world.platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void* p, size_t bytes, int device, cudaStream_t handle) {
  Pe& pe = *g_current.pe;
  if (!is_place(device)) return remember(cudaErrorInvalidDevice);
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  if (capture_of(pe, *stream)) return forbidden_in_any_capture();
  if (!bytes || !is_managed(pe, p, bytes)) return remember(cudaErrorInvalidValue);
  device::Machine& machine = pe.world.machine;
  enqueue(*stream, OpKind::host_work, "prefetch", {}, [&machine](const device::CommandRef& c) { machine.finish(c); });
  charge(pe.world.platform.host.copy_call);
  return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* p, size_t, unsigned flags) {
  Pe& pe = *g_current.pe;
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
    return remember(cudaErrorInvalidValue);
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  if (capture_of(pe, *stream)) return forbidden_in_any_capture();
  bool to_default_stream = flags == cudaMemAttachSingle && stream->number == 0;
  if (to_default_stream || !is_managed(pe, p, 0)) return remember(cudaErrorInvalidValue);
  charge(pe.world.platform.host.api_call);
  return cudaSuccess;
}

}  // extern "C"
