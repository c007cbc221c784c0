// Settings of the PE's devices: flags, limits, cache preferences. They are kept and answered; what they would tune does
// not exist here, except that a program sees what it has set.
#include <algorithm>
#include <map>

#include "emu/cuda/device_facts.hpp"
#include "emu/cuda/device_settings.hpp"
#include "emu/cuda/memory_kinds.hpp"

namespace shmemu::emu {

DeviceSettings& settings_of(Pe& pe, int device) { return kept<SettingsOfDevices>(pe).by_device[device]; }

bool are_device_flags(unsigned flags) {
  constexpr unsigned kKnown = cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
  unsigned schedule = flags & cudaDeviceScheduleMask;
  return !(flags & ~kKnown) && !(schedule & (schedule - 1));  // at most one way to wait
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

namespace {

DeviceSettings& current_settings() { return settings_of(*g_current.pe, g_current.pe->cuda.device); }

}  // namespace

extern "C" {

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
  if (!is_device(device)) return remember(cudaErrorInvalidDevice);
  if (flags & ~unsigned{cudaInitDeviceFlagsAreValid}) return remember(cudaErrorInvalidValue);
  if ((flags & cudaInitDeviceFlagsAreValid) && !are_device_flags(device_flags)) return remember(cudaErrorInvalidValue);
  if (flags & cudaInitDeviceFlagsAreValid)
    settings_of(*g_current.pe, device).flags = device_flags | cudaDeviceMapHost;
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  if (count < 0 || count > g_current.world->gpus_per_node() || (count && !devices)) return remember(cudaErrorInvalidValue);
  for (int i = 0; i < count; ++i)
    if (!is_device(devices[i])) return remember(cudaErrorInvalidDevice);
  // the first valid device is the current one as long as the program has chosen none
  if (count && !g_current.pe->cuda.device_chosen) {
    g_current.pe->cuda.device = devices[0];
    g_current.pe->gpu = current_gpu();
  }
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  if (!are_device_flags(flags)) return remember(cudaErrorInvalidValue);
  current_settings().flags = flags | cudaDeviceMapHost;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  if (!flags) return remember(cudaErrorInvalidValue);
  *flags = current_settings().flags;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit == cudaLimitDevRuntimeSyncDepth) return remember(cudaErrorUnsupportedLimit);
  if (limit < 0 || limit >= kLimits) return remember(cudaErrorInvalidValue);
  auto step = [](size_t v, size_t unit) { return (std::max<size_t>(v, 1) + unit - 1) / unit * unit; };
  switch (limit) {  // roundings as an H200 shows them
    case cudaLimitStackSize: value = step(value, 16); break;
    case cudaLimitPrintfFifoSize: value = step(value, 512 << 10); break;
    case cudaLimitMallocHeapSize: value = step(value, 4 << 20); break;
    case cudaLimitMaxL2FetchGranularity:
      if (value > 128) return remember(cudaErrorInvalidValue);
      break;
    default: break;
  }
  current_settings().limits[limit] = value;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  if (limit == cudaLimitDevRuntimeSyncDepth) return remember(cudaErrorUnsupportedLimit);
  if (!value || limit < 0 || limit >= kLimits) return remember(cudaErrorInvalidValue);
  *value = current_settings().limits[limit];
  return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return remember(cudaErrorInvalidValue);
  current_settings().cache = config;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  if (!config) return remember(cudaErrorInvalidValue);
  *config = current_settings().cache;
  return cudaSuccess;
}

// Bank sizes cannot be chosen since compute capability 5.0: the call succeeds and changes nothing.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte)
    return remember(cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  if (!config) return remember(cudaErrorInvalidValue);
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = kGreatestPriority;
  return cudaSuccess;
}

// Stores of other devices are visible here in the order in which they arrive.
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget target,
                                               cudaFlushGPUDirectRDMAWritesScope scope) {
  if (target != cudaFlushGPUDirectRDMAWritesTargetCurrentDevice ||
      (scope != cudaFlushGPUDirectRDMAWritesToOwner && scope != cudaFlushGPUDirectRDMAWritesToAllDevices))
    return remember(cudaErrorInvalidValue);
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

// Everything the PE has on the device goes. Variables keep their values: the emulated module stays loaded.
cudaError_t cudaDeviceReset() {
  if (cudaError_t e = forbidden_in_any_capture()) return e;
  Pe& pe = *g_current.pe;
  destroy_streams_and_events(pe, SHMEMU_SITE());
  std::vector<uint64_t> mine;
  for (auto& [address, allocation] : kept<DeviceAllocations>(pe).live)
    if (allocation.gpu == current_gpu()) mine.push_back(address);
  for (uint64_t address : mine) release_device(pe, address);
  settings_of(pe, pe.cuda.device) = {};
  pe.cuda.dynamic_shared_limit.clear();
  charge(pe.world.platform.host.malloc_call);
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
