// Devices as the driver API names them, versions, entry points by name.
#include <dlfcn.h>

#include <cstring>

#include "emu/cuda/device_facts.hpp"
#include "emu/cuda/driver.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

// Checks of a question about one device.
CUresult about_device(const void* out, CUdevice device) {
  if (CUresult e = driver_ready()) return e;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

}  // namespace

extern "C" {

CUresult cuDriverGetVersion(int* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = kCudaVersion;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  if (CUresult e = driver_ready()) return e;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = g_current.world->gpus_per_node();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* out, int ordinal) {
  if (CUresult e = about_device(out, ordinal)) return e;
  *out = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* out, int length, CUdevice device) {
  if (CUresult e = about_device(out, device)) return e;
  if (length <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::string name = device_name(*g_current.world).substr(0, static_cast<size_t>(length - 1));
  std::memcpy(out, name.c_str(), name.size() + 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* out, CUdevice device) {
  if (CUresult e = about_device(out, device)) return e;
  device_uuid(device, reinterpret_cast<unsigned char*>(out->bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t* out, CUdevice device) {
  if (CUresult e = about_device(out, device)) return e;
  *out = g_current.world->platform.gpu.memory;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* out, CUdevice_attribute attribute, CUdevice device) {
  if (CUresult e = about_device(out, device)) return e;
  auto value = device_attribute(static_cast<int>(attribute), device);
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  *out = *value;
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  if (CUresult e = about_device(major, device)) return e;
  if (!minor) return CUDA_ERROR_INVALID_VALUE;
  *major = device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device).value_or(0);
  *minor = device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device).value_or(0);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice* out, const char* id) {
  if (CUresult e = driver_ready()) return e;
  if (!out || !id) return CUDA_ERROR_INVALID_VALUE;
  bool malformed;
  auto found = device_at_bus(id, malformed);
  if (!found) return malformed ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
  *out = *found;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* out, int length, CUdevice device) {
  if (CUresult e = about_device(out, device)) return e;
  std::string id = pci_bus_id(device);
  if (length <= static_cast<int>(id.size())) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(out, id.c_str(), id.size() + 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* out, CUdevice device, CUdevice peer) {
  if (CUresult e = about_device(out, device)) return e;
  if (!is_device(peer)) return CUDA_ERROR_INVALID_DEVICE;
  *out = are_peers(device, peer);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int* out, CUdevice_P2PAttribute attribute, CUdevice device, CUdevice peer) {
  if (CUresult e = about_device(out, device)) return e;
  int before = g_current.pe->cuda.last_error;
  cudaError_t error = cudaDeviceGetP2PAttribute(out, static_cast<cudaDeviceP2PAttr>(attribute), device, peer);
  g_current.pe->cuda.last_error = before;
  return as_driver_error(error);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* out, CUdevice device) {
  if (CUresult e = about_device(out, device)) return e;
  return as_driver_error(cudaDeviceGetDefaultMemPool(out, device));
}

CUresult cuProfilerStart() { return context_ready(); }
CUresult cuProfilerStop() { return context_ready(); }

// Versioned names lead to the functions that programs get by the plain name of cuda.h.
CUresult cuGetProcAddress(const char* symbol, void** out, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult* status) {
  if (!symbol || !out || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  // per-thread default streams would need other functions
  if (flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) return CUDA_ERROR_NOT_SUPPORTED;
  *out = std::strncmp(symbol, "cu", 2) == 0 && version >= 2000 ? dlsym(RTLD_DEFAULT, symbol) : nullptr;
  CUdriverProcAddressQueryResult found = *out ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (status) *status = found;
  return *out || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

SHMEMU_SECOND_VERSION(cuDeviceTotalMem);
SHMEMU_SECOND_VERSION(cuDeviceGetUuid);
SHMEMU_SECOND_VERSION(cuGetProcAddress);

}  // extern "C"
