// Memory of the driver API: the runtime's, under other names.
#include <cstring>

#include "emu/cuda/driver.hpp"
#include "emu/cuda/memory_kinds.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

void* pointer(CUdeviceptr p) { return reinterpret_cast<void*>(p); }

CUresult copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, CUstream stream, bool blocking,
              uint64_t site) {
  return through_runtime([&] {
    if (!bytes) return cudaSuccess;
    if (cudaError_t e = check_direction(to, from, kind)) return e;
    return copy_rows(to, bytes, from, bytes, bytes, 1, stream, blocking, site);
  });
}

CUresult fill(CUdeviceptr to, uint32_t value, size_t element, size_t count, CUstream stream, bool blocking, uint64_t site) {
  return through_runtime(
      [&] { return fill_elements(pointer(to), count * element, value, element, count, 1, stream, blocking, site); });
}

template <class T>
CUresult answer(void* out, T value) {
  std::memcpy(out, &value, sizeof value);
  return CUDA_SUCCESS;
}

CUresult pointer_attribute(void* out, CUpointer_attribute attribute, CUdeviceptr address) {
  Pe& pe = *g_current.pe;
  MemoryBlock block = block_of(pe, pointer(address));
  if (block.kind == MemoryKind::unknown) return CUDA_ERROR_INVALID_VALUE;
  bool on_device = block.kind == MemoryKind::device, managed = block.kind == MemoryKind::managed;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
      CUcontext context = nullptr;
      cuCtxGetCurrent(&context);
      return answer(out, context);
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer(out, static_cast<unsigned>(block.kind == MemoryKind::pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return answer(out, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return on_device ? CUDA_ERROR_INVALID_VALUE : answer(out, pointer(address));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return answer(out, true);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return answer(out, static_cast<unsigned long long>(block.base));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return answer(out, managed);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return answer(out, device_of_gpu(pe, block.gpu).value_or(CU_DEVICE_INVALID));
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return answer(out, kept<DeviceAllocations>(pe).live.contains(block.base));
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return answer(out, block.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return answer(out, static_cast<size_t>(block.bytes));
    case CU_POINTER_ATTRIBUTE_MAPPED: return answer(out, true);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return answer(out, uint64_t{0});
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return answer(out, on_device);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return answer(out, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: {
      auto& live = kept<DeviceAllocations>(pe).live;
      auto at = live.find(block.base);
      return answer(out, at == live.end() ? nullptr : at->second.pool);
    }
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS: return CUDA_ERROR_NOT_SUPPORTED;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

extern "C" {

// ---- allocation ----

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return through_runtime([&] { return cudaMemGetInfo(free, total); });
}

CUresult cuMemAlloc(CUdeviceptr* out, size_t bytes) {
  return through_runtime([&] { return bytes ? cudaMalloc(reinterpret_cast<void**>(out), bytes) : cudaErrorInvalidValue; });
}

CUresult cuMemAllocPitch(CUdeviceptr* out, size_t* pitch, size_t width, size_t rows, unsigned element) {
  return through_runtime([&] {
    if (!width || !rows || (element != 4 && element != 8 && element != 16)) return cudaErrorInvalidValue;
    return cudaMallocPitch(reinterpret_cast<void**>(out), pitch, width, rows);
  });
}

CUresult cuMemFree(CUdeviceptr p) {
  return through_runtime([&] { return cudaFree(pointer(p)); });
}

CUresult cuMemAllocHost(void** out, size_t bytes) {
  return through_runtime([&] { return bytes ? cudaMallocHost(out, bytes) : cudaErrorInvalidValue; });
}

CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
  return through_runtime([&] { return bytes ? cudaHostAlloc(out, bytes, flags) : cudaErrorInvalidValue; });
}

CUresult cuMemFreeHost(void* p) {
  return through_runtime([&] { return p ? cudaFreeHost(p) : cudaErrorInvalidValue; });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* out, void* p, unsigned flags) {
  return through_runtime([&] { return cudaHostGetDevicePointer(reinterpret_cast<void**>(out), p, flags); });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* p) {
  return through_runtime([&] { return cudaHostGetFlags(flags, p); });
}

CUresult cuMemHostRegister(void* p, size_t bytes, unsigned flags) {
  return through_runtime([&] { return cudaHostRegister(p, bytes, flags); });
}

CUresult cuMemHostUnregister(void* p) {
  return through_runtime([&] { return cudaHostUnregister(p); });
}

CUresult cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned flags) {
  return through_runtime(
      [&] { return bytes ? cudaMallocManaged(reinterpret_cast<void**>(out), bytes, flags) : cudaErrorInvalidValue; });
}

CUresult cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
  return through_runtime(
      [&] { return bytes ? cudaMallocAsync(reinterpret_cast<void**>(out), bytes, stream) : cudaErrorInvalidValue; });
}

CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream) {
  return through_runtime([&] { return cudaFreeAsync(pointer(p), stream); });
}

CUresult cuMemAdvise(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUdevice device) {
  return through_runtime([&] { return cudaMemAdvise(pointer(p), bytes, static_cast<cudaMemoryAdvise>(advice), device); });
}

CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice device, CUstream stream) {
  return through_runtime([&] { return cudaMemPrefetchAsync(pointer(p), bytes, device, stream); });
}

// ---- what an address is ----

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr p) {
  if (CUresult e = context_ready()) return e;
  MemoryBlock block = block_of(*g_current.pe, pointer(p));
  if (block.kind == MemoryKind::unknown || !block.bytes) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = block.base;
  if (bytes) *bytes = block.bytes;
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* out, CUpointer_attribute attribute, CUdeviceptr p) {
  if (CUresult e = context_ready()) return e;
  return out ? pointer_attribute(out, attribute, p) : CUDA_ERROR_INVALID_VALUE;
}

// For an address that CUDA does not know the answers are null values and success.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** out, CUdeviceptr p) {
  if (CUresult e = context_ready()) return e;
  if (!count || !attributes || !out) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (pointer_attribute(out[i], attributes[i], p) == CUDA_SUCCESS) continue;
    switch (attributes[i]) {
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: answer(out[i], CU_DEVICE_INVALID); break;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: answer(out[i], 0u); break;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      case CU_POINTER_ATTRIBUTE_MAPPED:
      case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: answer(out[i], false); break;
      case CU_POINTER_ATTRIBUTE_P2P_TOKENS: return CUDA_ERROR_NOT_SUPPORTED;
      default: answer(out[i], uint64_t{0}); break;
    }
  }
  return CUDA_SUCCESS;
}

// Copies of device memory are in stream order and seen by everybody once they have ended: what the flag asks for.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr p) {
  if (CUresult e = context_ready()) return e;
  if (!value || block_of(*g_current.pe, pointer(p)).kind != MemoryKind::device) return CUDA_ERROR_INVALID_VALUE;
  return attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// No file descriptors of device memory for other drivers (CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0).
CUresult cuMemGetHandleForAddressRange(void* handle, CUdeviceptr, size_t, CUmemRangeHandleType, unsigned long long) {
  if (CUresult e = context_ready()) return e;
  return handle ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

// ---- handles between PEs ----

CUresult cuIpcGetMemHandle(CUipcMemHandle* out, CUdeviceptr p) {
  return through_runtime([&] { return cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t*>(out), pointer(p)); });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* out, CUipcMemHandle handle, unsigned flags) {
  cudaIpcMemHandle_t same;
  std::memcpy(&same, &handle, sizeof same);
  return through_runtime([&] { return cudaIpcOpenMemHandle(reinterpret_cast<void**>(out), same, flags); });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr p) {
  return through_runtime([&] { return cudaIpcCloseMemHandle(pointer(p)); });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* out, CUevent event) {
  return through_runtime([&] { return cudaIpcGetEventHandle(reinterpret_cast<cudaIpcEventHandle_t*>(out), event); });
}

CUresult cuIpcOpenEventHandle(CUevent* out, CUipcEventHandle) {
  return through_runtime([&] { return cudaIpcOpenEventHandle(out, {}); });
}

// ---- copies and fills ----

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDefault, nullptr, true, SHMEMU_SITE());
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream, false, SHMEMU_SITE());
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, nullptr, true, SHMEMU_SITE());
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return copy(pointer(to), from, bytes, cudaMemcpyHostToDevice, nullptr, true, SHMEMU_SITE());
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return copy(to, pointer(from), bytes, cudaMemcpyDeviceToHost, nullptr, true, SHMEMU_SITE());
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, nullptr, true, SHMEMU_SITE());
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream, false, SHMEMU_SITE());
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream, false, SHMEMU_SITE());
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream, false, SHMEMU_SITE());
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill(to, value, 1, count, nullptr, true, SHMEMU_SITE());
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill(to, value, 2, count, nullptr, true, SHMEMU_SITE());
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill(to, value, 4, count, nullptr, true, SHMEMU_SITE());
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill(to, value, 1, count, stream, false, SHMEMU_SITE());
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill(to, value, 2, count, stream, false, SHMEMU_SITE());
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill(to, value, 4, count, stream, false, SHMEMU_SITE());
}

SHMEMU_SECOND_VERSION(cuMemGetInfo);
SHMEMU_SECOND_VERSION(cuMemAlloc);
SHMEMU_SECOND_VERSION(cuMemAllocPitch);
SHMEMU_SECOND_VERSION(cuMemFree);
SHMEMU_SECOND_VERSION(cuMemAllocHost);
SHMEMU_SECOND_VERSION(cuMemHostGetDevicePointer);
SHMEMU_SECOND_VERSION(cuMemHostRegister);
SHMEMU_SECOND_VERSION(cuMemGetAddressRange);
SHMEMU_SECOND_VERSION(cuIpcOpenMemHandle);
SHMEMU_SECOND_VERSION(cuMemcpyHtoD);
SHMEMU_SECOND_VERSION(cuMemcpyDtoH);
SHMEMU_SECOND_VERSION(cuMemcpyDtoD);
SHMEMU_SECOND_VERSION(cuMemcpyHtoDAsync);
SHMEMU_SECOND_VERSION(cuMemcpyDtoHAsync);
SHMEMU_SECOND_VERSION(cuMemcpyDtoDAsync);
SHMEMU_SECOND_VERSION(cuMemsetD8);
SHMEMU_SECOND_VERSION(cuMemsetD16);
SHMEMU_SECOND_VERSION(cuMemsetD32);

}  // extern "C"
