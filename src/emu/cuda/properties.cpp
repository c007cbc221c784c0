// cudaGetDeviceProperties and what else a device tells: attributes, versions, memory left.
#include <cstring>

#include "emu/cuda/device_facts.hpp"
#include "emu/cuda/driver.hpp"

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  if (!version) return remember(cudaErrorInvalidValue);
  *version = kCudaVersion;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!value) return remember(cudaErrorInvalidValue);
  if (!is_device(device)) return remember(cudaErrorInvalidDevice);
  auto found = device_attribute(static_cast<int>(attribute), device);
  if (!found) return remember(cudaErrorInvalidValue);
  *value = *found;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device) {
  if (!out) return remember(cudaErrorInvalidValue);
  if (!is_device(device)) return remember(cudaErrorInvalidDevice);
  const World& world = *g_current.world;
  note_runtime_call();
  charge(world.platform.host.api_call);
  auto get = [&](cudaDeviceAttr a) { return device_attribute(static_cast<int>(a), device).value_or(0); };
  auto size = [&](cudaDeviceAttr a) { return static_cast<size_t>(get(a)); };
  cudaDeviceProp p{};
  std::strncpy(p.name, device_name(world).c_str(), sizeof p.name - 1);
  device_uuid(device, reinterpret_cast<unsigned char*>(p.uuid.bytes));
  p.totalGlobalMem = world.platform.gpu.memory;
  p.sharedMemPerBlock = size(cudaDevAttrMaxSharedMemoryPerBlock);
  p.regsPerBlock = get(cudaDevAttrMaxRegistersPerBlock);
  p.warpSize = get(cudaDevAttrWarpSize);
  p.memPitch = size(cudaDevAttrMaxPitch);
  p.maxThreadsPerBlock = get(cudaDevAttrMaxThreadsPerBlock);
  p.maxThreadsDim[0] = get(cudaDevAttrMaxBlockDimX);
  p.maxThreadsDim[1] = get(cudaDevAttrMaxBlockDimY);
  p.maxThreadsDim[2] = get(cudaDevAttrMaxBlockDimZ);
  p.maxGridSize[0] = get(cudaDevAttrMaxGridDimX);
  p.maxGridSize[1] = get(cudaDevAttrMaxGridDimY);
  p.maxGridSize[2] = get(cudaDevAttrMaxGridDimZ);
  p.clockRate = get(cudaDevAttrClockRate);
  p.totalConstMem = size(cudaDevAttrTotalConstantMemory);
  p.major = get(cudaDevAttrComputeCapabilityMajor);
  p.minor = get(cudaDevAttrComputeCapabilityMinor);
  p.textureAlignment = size(cudaDevAttrTextureAlignment);
  p.texturePitchAlignment = size(cudaDevAttrTexturePitchAlignment);
  p.deviceOverlap = get(cudaDevAttrGpuOverlap);
  p.multiProcessorCount = get(cudaDevAttrMultiProcessorCount);
  p.kernelExecTimeoutEnabled = get(cudaDevAttrKernelExecTimeout);
  p.integrated = get(cudaDevAttrIntegrated);
  p.canMapHostMemory = get(cudaDevAttrCanMapHostMemory);
  p.computeMode = get(cudaDevAttrComputeMode);
  p.surfaceAlignment = size(cudaDevAttrSurfaceAlignment);
  p.concurrentKernels = get(cudaDevAttrConcurrentKernels);
  p.ECCEnabled = get(cudaDevAttrEccEnabled);
  p.pciBusID = get(cudaDevAttrPciBusId);
  p.pciDeviceID = get(cudaDevAttrPciDeviceId);
  p.pciDomainID = get(cudaDevAttrPciDomainId);
  p.tccDriver = get(cudaDevAttrTccDriver);
  p.asyncEngineCount = get(cudaDevAttrAsyncEngineCount);
  p.unifiedAddressing = get(cudaDevAttrUnifiedAddressing);
  p.memoryClockRate = get(cudaDevAttrMemoryClockRate);
  p.memoryBusWidth = get(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = get(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = get(cudaDevAttrMaxPersistingL2CacheSize);
  p.maxThreadsPerMultiProcessor = get(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.streamPrioritiesSupported = get(cudaDevAttrStreamPrioritiesSupported);
  p.globalL1CacheSupported = get(cudaDevAttrGlobalL1CacheSupported);
  p.localL1CacheSupported = get(cudaDevAttrLocalL1CacheSupported);
  p.sharedMemPerMultiprocessor = size(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  p.regsPerMultiprocessor = get(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.managedMemory = get(cudaDevAttrManagedMemory);
  p.isMultiGpuBoard = get(cudaDevAttrIsMultiGpuBoard);
  p.multiGpuBoardGroupID = get(cudaDevAttrMultiGpuBoardGroupID);
  p.hostNativeAtomicSupported = get(cudaDevAttrHostNativeAtomicSupported);
  p.singleToDoublePrecisionPerfRatio = get(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  p.pageableMemoryAccess = get(cudaDevAttrPageableMemoryAccess);
  p.concurrentManagedAccess = get(cudaDevAttrConcurrentManagedAccess);
  p.computePreemptionSupported = get(cudaDevAttrComputePreemptionSupported);
  p.canUseHostPointerForRegisteredMem = get(cudaDevAttrCanUseHostPointerForRegisteredMem);
  p.cooperativeLaunch = get(cudaDevAttrCooperativeLaunch);
  p.cooperativeMultiDeviceLaunch = get(cudaDevAttrCooperativeMultiDeviceLaunch);
  p.sharedMemPerBlockOptin = size(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  p.pageableMemoryAccessUsesHostPageTables = get(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
  p.directManagedMemAccessFromHost = get(cudaDevAttrDirectManagedMemAccessFromHost);
  p.maxBlocksPerMultiProcessor = get(cudaDevAttrMaxBlocksPerMultiprocessor);
  p.accessPolicyMaxWindowSize = get(cudaDevAttrMaxAccessPolicyWindowSize);
  p.reservedSharedMemPerBlock = size(cudaDevAttrReservedSharedMemoryPerBlock);
  p.hostRegisterSupported = get(cudaDevAttrHostRegisterSupported);
  p.sparseCudaArraySupported = get(cudaDevAttrSparseCudaArraySupported);
  p.hostRegisterReadOnlySupported = get(cudaDevAttrHostRegisterReadOnlySupported);
  p.timelineSemaphoreInteropSupported = get(cudaDevAttrTimelineSemaphoreInteropSupported);
  p.memoryPoolsSupported = get(cudaDevAttrMemoryPoolsSupported);
  p.gpuDirectRDMASupported = get(cudaDevAttrGPUDirectRDMASupported);
  p.gpuDirectRDMAFlushWritesOptions = static_cast<unsigned>(get(cudaDevAttrGPUDirectRDMAFlushWritesOptions));
  p.gpuDirectRDMAWritesOrdering = get(cudaDevAttrGPUDirectRDMAWritesOrdering);
  p.memoryPoolSupportedHandleTypes = static_cast<unsigned>(get(cudaDevAttrMemoryPoolSupportedHandleTypes));
  p.deferredMappingCudaArraySupported = get(cudaDevAttrDeferredMappingCudaArraySupported);
  p.ipcEventSupported = get(cudaDevAttrIpcEventSupport);
  p.clusterLaunch = get(cudaDevAttrClusterLaunch);
  p.unifiedFunctionPointers = 1;
  *out = p;
  return cudaSuccess;
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  if (!device || !wanted) return remember(cudaErrorInvalidValue);
  *device = 0;  // all devices of a node are of one kind
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  if (!free || !total) return remember(cudaErrorInvalidValue);
  const World& world = *g_current.world;
  charge(world.platform.host.api_call);
  *total = world.platform.gpu.memory;
  *free = *total - memory_in_use(world, current_gpu());
  return cudaSuccess;
}

}  // extern "C"
