// What a stream tells about itself, and its attributes.
#include <map>

#include "cuda.h"
#include "emu/cuda/device_facts.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

// Attributes are hints and only kept.
struct StreamAttributes {
  std::map<std::pair<int, int>, cudaStreamAttrValue> values;  // by stream number and attribute
};

bool is_stream_attribute(cudaStreamAttrID attribute) {
  return attribute == cudaLaunchAttributeAccessPolicyWindow || attribute == cudaLaunchAttributeSynchronizationPolicy ||
         attribute == cudaLaunchAttributePriority || attribute == cudaLaunchAttributeMemSyncDomainMap ||
         attribute == cudaLaunchAttributeMemSyncDomain;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (!flags) return remember(cudaErrorInvalidValue);
  *flags = info_of(*g_current.pe, *stream).flags;
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (!priority) return remember(cudaErrorInvalidValue);
  *priority = info_of(*g_current.pe, *stream).priority;
  return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (!id) return remember(cudaErrorInvalidValue);
  *id = static_cast<unsigned long long>(stream->number) + 1;
  return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (!device) return remember(cudaErrorInvalidValue);
  *device = info_of(*g_current.pe, *stream).device;
  return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
  Pe& pe = *g_current.pe;
  device::Stream* stream = find_stream(pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (!value || !is_stream_attribute(attribute)) return remember(cudaErrorInvalidValue);
  kept<StreamAttributes>(pe).values[{stream->number, attribute}] = *value;
  return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
  Pe& pe = *g_current.pe;
  device::Stream* stream = find_stream(pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (!value || !is_stream_attribute(attribute)) return remember(cudaErrorInvalidValue);
  auto& values = kept<StreamAttributes>(pe).values;
  if (auto at = values.find({stream->number, attribute}); at != values.end()) {
    *value = at->second;
    return cudaSuccess;
  }
  *value = {};
  if (attribute == cudaLaunchAttributePriority) value->priority = info_of(pe, *stream).priority;
  if (attribute == cudaLaunchAttributeSynchronizationPolicy) value->syncPolicy = cudaSyncPolicyAuto;
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** out, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
  if (!name || !out) return remember(cudaErrorInvalidValue);
  CUdriverProcAddressQueryResult found;
  CUresult status = cuGetProcAddress(name, out, kCudaVersion, flags, &found);
  if (status != CUDA_SUCCESS) return remember(cudaErrorInvalidValue);
  if (result)
    *result = found == CU_GET_PROC_ADDRESS_SUCCESS ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

}  // extern "C"
