#include "emu/cuda/functions.hpp"

#include <algorithm>

#include "cuda.h"

namespace shmemu::emu {
namespace {

constexpr uint64_t kDefaultShared = 48 << 10;
// Registers are not modelled; the number is a guess that limits nothing.
constexpr int kRegisters = 32;

}  // namespace

std::optional<Kernel> kernel_of(Pe& pe, const void* stub) {
  const shmemu_kernel* code = pe.registry.find_kernel(stub, nullptr);
  return code ? std::optional(Kernel{stub, code}) : std::nullopt;
}

std::optional<Kernel> kernel_named(Pe& pe, std::string_view name) {
  if (!pe.registry.find_kernel_named(name, nullptr)) return std::nullopt;
  for (auto& [stub, names] : pe.registry.kernels)
    if (names.name == name) return kernel_of(pe, stub);
  return std::nullopt;
}

uint64_t dynamic_shared_limit(const Pe& pe, const Kernel& kernel) {
  auto set = pe.cuda.dynamic_shared_limit.find(kernel.stub);
  if (set != pe.cuda.dynamic_shared_limit.end()) return static_cast<uint64_t>(set->second);
  return kDefaultShared - std::min<uint64_t>(kDefaultShared, kernel.code->static_shared);
}

cudaError_t set_dynamic_shared_limit(Pe& pe, const Kernel& kernel, int bytes) {
  if (bytes < 0 || static_cast<uint64_t>(bytes) + kernel.code->static_shared > pe.world.platform.gpu.shared_per_cta)
    return cudaErrorInvalidValue;
  pe.cuda.dynamic_shared_limit[kernel.stub] = bytes;
  return cudaSuccess;
}

int blocks_on_sm(const Pe& pe, const Kernel& kernel, int threads, size_t dynamic_shared) {
  if (dynamic_shared > dynamic_shared_limit(pe, kernel)) return 0;
  return device::Gpu::blocks_per_sm(pe.world.platform.gpu, static_cast<uint32_t>(threads),
                                    kernel.code->static_shared + dynamic_shared);
}

cudaError_t unpack_arguments(const Kernel& kernel, void** extra, std::vector<void*>& out) {
  char* buffer = nullptr;
  size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = static_cast<char*>(extra[1]);
    } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      bytes = *static_cast<size_t*>(extra[1]);
    } else {
      return cudaErrorInvalidValue;
    }
  }
  size_t end = 0;
  for (uint32_t i = 0; i < kernel.code->parameters; ++i) {
    size_t size = kernel.code->parameter_bytes[i];
    if (size != 1 && size != 2 && size != 4 && size != 8) return cudaErrorNotSupported;
    end = (end + size - 1) / size * size;
    out.push_back(buffer + end);
    end += size;
  }
  return (end && !buffer) || bytes < end ? cudaErrorInvalidValue : cudaSuccess;
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* stub) {
  if (!out) return remember(cudaErrorInvalidValue);
  Pe& pe = *g_current.pe;
  auto kernel = kernel_of(pe, stub);
  if (!kernel) return remember(cudaErrorInvalidDeviceFunction);
  *out = {};
  out->sharedSizeBytes = kernel->code->static_shared;
  out->maxThreadsPerBlock = kernel->code->max_threads ? static_cast<int>(kernel->code->max_threads)
                                                      : pe.world.platform.gpu.max_threads_per_cta;
  out->numRegs = kRegisters;
  out->ptxVersion = out->binaryVersion = 90;
  out->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(pe, *kernel));
  out->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute attribute, int value) {
  Pe& pe = *g_current.pe;
  auto kernel = kernel_of(pe, stub);
  if (!kernel) return remember(cudaErrorInvalidDeviceFunction);
  charge(pe.world.platform.host.api_call);
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      return remember(set_dynamic_shared_limit(pe, *kernel, value));
    case cudaFuncAttributePreferredSharedMemoryCarveout:  // a hint; an SM gives here what a block needs
      return value < -1 || value > 100 ? remember(cudaErrorInvalidValue) : cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return remember(cudaErrorNotSupported);
    default:
      return remember(cudaErrorInvalidValue);
  }
}

// Hints about the split between cache and shared memory, which is not modelled.
cudaError_t cudaFuncSetCacheConfig(const void* stub, cudaFuncCache config) {
  if (!kernel_of(*g_current.pe, stub)) return remember(cudaErrorInvalidDeviceFunction);
  return config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual ? remember(cudaErrorInvalidValue)
                                                                               : cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(const void* stub, cudaSharedMemConfig config) {
  if (!kernel_of(*g_current.pe, stub)) return remember(cudaErrorInvalidDeviceFunction);
  return config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte
             ? remember(cudaErrorInvalidValue)
             : cudaSuccess;
}

cudaError_t cudaFuncGetName(const char** name, const void* stub) {
  if (!name) return remember(cudaErrorInvalidValue);
  auto kernel = kernel_of(*g_current.pe, stub);
  if (!kernel) return remember(cudaErrorInvalidDeviceFunction);
  *name = kernel->code->name;
  return cudaSuccess;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* out, const void* stub) {
  if (!out) return remember(cudaErrorInvalidValue);
  if (!kernel_of(*g_current.pe, stub)) return remember(cudaErrorInvalidDeviceFunction);
  *out = reinterpret_cast<cudaFunction_t>(const_cast<void*>(stub));
  return cudaSuccess;
}

// ---- occupancy ----

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* stub, int threads,
                                                                   size_t dynamic_shared, unsigned flags) {
  if (!blocks || threads <= 0 || (flags & ~unsigned{cudaOccupancyDisableCachingOverride}))
    return remember(cudaErrorInvalidValue);
  auto kernel = kernel_of(*g_current.pe, stub);
  if (!kernel) return remember(cudaErrorInvalidDeviceFunction);
  *blocks = blocks_on_sm(*g_current.pe, *kernel, threads, dynamic_shared);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub, int threads,
                                                          size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads, dynamic_shared, 0);
}

// The largest size with which so many blocks do fit. An H200 answers 1 KiB more per block, with which they do not.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* stub, int blocks, int threads) {
  Pe& pe = *g_current.pe;
  const GpuModel& gpu = pe.world.platform.gpu;
  auto kernel = kernel_of(pe, stub);
  if (!kernel) return remember(cudaErrorInvalidDeviceFunction);
  uint64_t fixed = kernel->code->static_shared;
  if (!bytes || blocks <= 0 || threads <= 0 ||
      blocks > device::Gpu::blocks_per_sm(gpu, static_cast<uint32_t>(threads), fixed))
    return remember(cudaErrorInvalidValue);
  constexpr uint64_t kReserve = 1024, kStep = 128;
  uint64_t share = gpu.shared_per_sm / static_cast<uint64_t>(blocks) / kStep * kStep;
  *bytes = std::min(
      {share - std::min(share, kReserve) - fixed, gpu.shared_per_cta - fixed, dynamic_shared_limit(pe, *kernel)});
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void*, const cudaLaunchConfig_t* config) {
  return remember(size && config ? cudaErrorNotSupported : cudaErrorInvalidValue);
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void*, const cudaLaunchConfig_t* config) {
  return remember(clusters && config ? cudaErrorNotSupported : cudaErrorInvalidValue);
}

// ---- launches with attributes ----

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* stub, void** arguments) {
  if (!config || (config->numAttrs && !config->attrs)) return remember(cudaErrorInvalidValue);
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& a = config->attrs[i];
    switch (a.id) {
      case cudaLaunchAttributeCooperative:
        cooperative = a.val.cooperative != 0;
        break;
      case cudaLaunchAttributeClusterDimension:
        if (a.val.clusterDim.x != 1 || a.val.clusterDim.y != 1 || a.val.clusterDim.z != 1)
          return remember(cudaErrorNotSupported);
        break;
      case cudaLaunchAttributeProgrammaticEvent:
      case cudaLaunchAttributeLaunchCompletionEvent:
      case cudaLaunchAttributeDeviceUpdatableKernelNode:
        return remember(cudaErrorNotSupported);
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributeAccessPolicyWindow:  // hints
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributeClusterSchedulingPolicyPreference:
      case cudaLaunchAttributeProgrammaticStreamSerialization:  // allows an overlap and asks for none
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeMemSyncDomainMap:
      case cudaLaunchAttributeMemSyncDomain:
        break;
      default:
        return remember(cudaErrorInvalidValue);
    }
  }
  return launch_compiled(stub, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream,
                         cooperative ? LaunchKind::cooperative : LaunchKind::plain);
}

}  // extern "C"
