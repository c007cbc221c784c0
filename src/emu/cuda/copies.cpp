// Copies and fills of rows and boxes, copies between devices, pitched allocations.
#include <algorithm>

#include "emu/cuda/device_facts.hpp"
#include "emu/cuda/memory_kinds.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

constexpr size_t kPitchStep = 512;  // seen on an H200

cudaError_t copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                    cudaMemcpyKind kind, cudaStream_t stream, bool blocking, uint64_t site) {
  if (width == 0 || rows == 0) return cudaSuccess;
  if (to_pitch < width || from_pitch < width) return remember(cudaErrorInvalidPitchValue);
  if (cudaError_t e = check_direction(to, from, kind)) return e;
  return copy_rows(to, to_pitch, from, from_pitch, width, rows, stream, blocking, site);
}

// A box is `depth` slices of rows. Slices that follow each other without a gap are one copy, others one copy each.
cudaError_t copy_3d(const cudaMemcpy3DParms* p, cudaStream_t stream, bool blocking, uint64_t site) {
  if (!p) return remember(cudaErrorInvalidValue);
  if (p->srcArray || p->dstArray) return remember(cudaErrorNotSupported);
  const cudaExtent& e = p->extent;
  if (!p->srcPtr.ptr || !p->dstPtr.ptr) return remember(cudaErrorInvalidValue);
  if (e.width == 0 || e.height == 0 || e.depth == 0) return cudaSuccess;
  auto fits = [&](const cudaPitchedPtr& b, const cudaPos& at) {
    return at.x + e.width <= b.pitch && (e.depth == 1 || at.y + e.height <= b.ysize);
  };
  if (!fits(p->srcPtr, p->srcPos) || !fits(p->dstPtr, p->dstPos)) return remember(cudaErrorInvalidPitchValue);
  if (cudaError_t error = check_direction(p->dstPtr.ptr, p->srcPtr.ptr, p->kind)) return error;
  auto slice = [&](const cudaPitchedPtr& b, const cudaPos& at, size_t z) {
    return static_cast<char*>(b.ptr) + ((at.z + z) * b.ysize + at.y) * b.pitch + at.x;
  };
  bool whole = e.depth == 1 || (e.height == p->srcPtr.ysize && e.height == p->dstPtr.ysize);
  size_t slices = whole ? 1 : e.depth, rows = whole ? e.height * e.depth : e.height;
  for (size_t z = 0; z < slices; ++z)
    if (cudaError_t error = copy_rows(slice(p->dstPtr, p->dstPos, z), p->dstPtr.pitch, slice(p->srcPtr, p->srcPos, z),
                                      p->srcPtr.pitch, e.width, rows, stream, blocking && z + 1 == slices, site))
      return error;
  return cudaSuccess;
}

cudaError_t fill_3d(const cudaPitchedPtr& b, int value, const cudaExtent& e, cudaStream_t stream, bool blocking,
                    uint64_t site) {
  if (e.width == 0 || e.height == 0 || e.depth == 0) return cudaSuccess;
  if (e.width > b.pitch || (e.depth > 1 && e.height > b.ysize)) return remember(cudaErrorInvalidValue);
  bool whole = e.depth == 1 || e.height == b.ysize;
  size_t slices = whole ? 1 : e.depth, rows = whole ? e.height * e.depth : e.height;
  for (size_t z = 0; z < slices; ++z)
    if (cudaError_t error = fill_rows(static_cast<char*>(b.ptr) + z * b.ysize * b.pitch, b.pitch, value, e.width, rows,
                                      stream, blocking && z + 1 == slices, site))
      return error;
  return cudaSuccess;
}

cudaError_t copy_peer(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream,
                      bool blocking, uint64_t site) {
  if (!is_device(to_device) || !is_device(from_device)) return remember(cudaErrorInvalidDevice);
  if (cudaError_t e = check_direction(to, from, cudaMemcpyDeviceToDevice)) return e;
  return copy_rows(to, bytes, from, bytes, bytes, 1, stream, blocking, site);
}

cudaError_t allocate_pitched(void** out, size_t* pitch, size_t width, size_t rows, uint64_t site) {
  if (!out || !pitch) return remember(cudaErrorInvalidValue);
  if (cudaError_t e = forbidden_in_capture()) return e;
  *out = nullptr;
  *pitch = (width + kPitchStep - 1) / kPitchStep * kPitchStep;
  if (!width || !rows) return cudaSuccess;
  charge(g_current.world->platform.host.malloc_call);
  *out = allocate_device(*g_current.pe, current_gpu(), *pitch * rows, kPitchStep, "cudaMallocPitch", site);
  return *out ? cudaSuccess : remember(cudaErrorMemoryAllocation);
}

}  // namespace

extern "C" {

cudaError_t cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
  return allocate_pitched(out, pitch, width, height, SHMEMU_SITE());
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent e) {
  if (!out) return remember(cudaErrorInvalidValue);
  *out = {nullptr, 0, e.width, e.height};
  return allocate_pitched(&out->ptr, &out->pitch, e.width, e.height * e.depth, SHMEMU_SITE());
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                         cudaMemcpyKind kind) {
  return copy_2d(to, to_pitch, from, from_pitch, width, rows, kind, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_2d(to, to_pitch, from, from_pitch, width, rows, kind, stream, false, SHMEMU_SITE());
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return copy_3d(p, nullptr, true, SHMEMU_SITE()); }

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return copy_3d(p, stream, false, SHMEMU_SITE());
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t rows) {
  return fill_rows(to, pitch, value, width, rows, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t rows, cudaStream_t stream) {
  return fill_rows(to, pitch, value, width, rows, stream, false, SHMEMU_SITE());
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill_3d(to, value, extent, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return fill_3d(to, value, extent, stream, false, SHMEMU_SITE());
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return copy_peer(to, to_device, from, from_device, bytes, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  return copy_peer(to, to_device, from, from_device, bytes, stream, false, SHMEMU_SITE());
}

}  // extern "C"
