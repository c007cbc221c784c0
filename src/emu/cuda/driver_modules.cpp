// Modules, functions and launches of the driver API. The one module is the program itself: code that a program brings
// along as PTX or machine code cannot run here.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "emu/cuda/driver.hpp"
#include "emu/cuda/functions.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

struct ProgramModule {};  // its address is the handle

CUmodule program_module() { return reinterpret_cast<CUmodule>(&kept<ProgramModule>(*g_current.pe)); }

std::optional<Kernel> kernel_of(CUfunction f) { return emu::kernel_of(*g_current.pe, f); }

// Code for another machine, as opposed to garbage.
bool is_code(const char* image) {
  uint32_t first;
  std::memcpy(&first, image, sizeof first);
  constexpr uint32_t kFatBinary = 0xba55ed50, kWrapper = 0x466243b1, kElf = 0x464c457f;
  if (first == kFatBinary || first == kWrapper || first == kElf) return true;
  return std::strstr(image, ".version") != nullptr;  // PTX is text
}

// A failed launch by the driver's names; the runtime calls a bad shape a bad configuration.
CUresult launch_function(CUfunction f, dim3 grid, dim3 block, unsigned shared, CUstream stream, void** arguments,
                         void** extra, bool cooperative) {
  return through_runtime([&] {
    auto kernel = kernel_of(f);
    if (!kernel) return cudaErrorInvalidResourceHandle;
    std::vector<void*> unpacked;
    if ((arguments && extra) || (!arguments && !extra && kernel->code->parameters)) return cudaErrorInvalidValue;
    if (extra) {
      if (cudaError_t e = unpack_arguments(*kernel, extra, unpacked)) return e;
      arguments = unpacked.data();
    }
    return launch_compiled(kernel->stub, grid, block, arguments, shared, stream,
                           cooperative ? LaunchKind::cooperative : LaunchKind::plain);
  });
}

}  // namespace

extern "C" {

CUresult cuModuleLoad(CUmodule* out, const char* file) {
  if (CUresult e = context_ready()) return e;
  if (!out || !file) return CUDA_ERROR_INVALID_VALUE;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return CUDA_ERROR_FILE_NOT_FOUND;
  if (!std::filesystem::equivalent(file, g_current.world->options.program, error)) return CUDA_ERROR_NOT_SUPPORTED;
  *out = program_module();
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* out, const void* image) {
  if (CUresult e = context_ready()) return e;
  if (!out || !image) return CUDA_ERROR_INVALID_VALUE;
  return is_code(static_cast<const char*>(image)) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_IMAGE;
}

CUresult cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned, CUjit_option*, void**) {
  return cuModuleLoadData(out, image);
}

CUresult cuModuleLoadFatBinary(CUmodule* out, const void* image) { return cuModuleLoadData(out, image); }

CUresult cuModuleUnload(CUmodule module) {
  if (CUresult e = context_ready()) return e;
  return module == program_module() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
  if (CUresult e = context_ready()) return e;
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  if (module != program_module()) return CUDA_ERROR_INVALID_HANDLE;
  auto kernel = kernel_named(*g_current.pe, name);
  if (!kernel) return CUDA_ERROR_NOT_FOUND;
  *out = reinterpret_cast<CUfunction>(const_cast<void*>(kernel->stub));
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
  if (CUresult e = context_ready()) return e;
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  if (module != program_module()) return CUDA_ERROR_INVALID_HANDLE;
  for (auto& [unit, modules] : g_current.pe->registry.modules)
    for (const shmemu_module* m : modules)
      for (uint64_t i = 0; i < m->variable_count; ++i) {
        const shmemu_variable& v = m->variables[i];
        if (std::strcmp(v.name, name) != 0) continue;
        if (address) *address = reinterpret_cast<CUdeviceptr>(v.address);
        if (bytes) *bytes = v.bytes;
        return CUDA_SUCCESS;
      }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncGetAttribute(int* out, CUfunction_attribute attribute, CUfunction f) {
  if (CUresult e = context_ready()) return e;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  cudaFuncAttributes a;
  if (!kernel_of(f) || cudaFuncGetAttributes(&a, f) != cudaSuccess) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *out = a.maxThreadsPerBlock;
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *out = static_cast<int>(a.sharedSizeBytes);
      break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *out = static_cast<int>(a.constSizeBytes);
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *out = static_cast<int>(a.localSizeBytes);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *out = a.numRegs;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *out = a.ptxVersion;
      break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *out = a.binaryVersion;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *out = a.maxDynamicSharedSizeBytes;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *out = a.preferredShmemCarveout;
      break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *out = 0;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
  return through_runtime([&] { return cudaFuncSetAttribute(f, static_cast<cudaFuncAttribute>(attribute), value); });
}

CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config) {
  return through_runtime([&] { return cudaFuncSetCacheConfig(f, static_cast<cudaFuncCache>(config)); });
}

CUresult cuFuncGetName(const char** name, CUfunction f) {
  return through_runtime([&] { return cudaFuncGetName(name, f); });
}

CUresult cuFuncGetModule(CUmodule* out, CUfunction f) {
  if (CUresult e = context_ready()) return e;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!kernel_of(f)) return CUDA_ERROR_INVALID_HANDLE;
  *out = program_module();
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void** arguments, void** extra) {
  return launch_function(f, dim3(gx, gy, gz), dim3(bx, by, bz), shared, stream, arguments, extra, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, CUstream stream, void** arguments) {
  return launch_function(f, dim3(gx, gy, gz), dim3(bx, by, bz), shared, stream, arguments, nullptr, true);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** arguments, void** extra) {
  if (!config || (config->numAttrs && !config->attrs)) return CUDA_ERROR_INVALID_VALUE;
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute& a = config->attrs[i];
    switch (a.id) {
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        cooperative = a.value.cooperative != 0;
        break;
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        if (a.value.clusterDim.x != 1 || a.value.clusterDim.y != 1 || a.value.clusterDim.z != 1)
          return CUDA_ERROR_NOT_SUPPORTED;
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        return CUDA_ERROR_NOT_SUPPORTED;
      default:
        break;  // hints
    }
  }
  return launch_function(f, dim3(config->gridDimX, config->gridDimY, config->gridDimZ),
                         dim3(config->blockDimX, config->blockDimY, config->blockDimZ), config->sharedMemBytes,
                         config->hStream, arguments, extra, cooperative);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return through_runtime([&] { return cudaLaunchHostFunc(stream, function, data); });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction f, int threads, size_t shared,
                                                              unsigned flags) {
  return through_runtime(
      [&] { return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, flags); });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction f, int threads, size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, CU_OCCUPANCY_DEFAULT);
}

// The largest block that keeps the most threads resident.
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction f, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit) {
  if (CUresult e = context_ready()) return e;
  auto kernel = kernel_of(f);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  if (!grid || !block || limit < 0) return CUDA_ERROR_INVALID_VALUE;
  Pe& pe = *g_current.pe;
  const GpuModel& gpu = pe.world.platform.gpu;
  int largest = kernel->code->max_threads ? static_cast<int>(kernel->code->max_threads) : gpu.max_threads_per_cta;
  if (limit) largest = std::min(largest, limit);
  int best = 0;
  *grid = *block = 0;
  for (int rounded = (largest + 31) / 32 * 32; rounded > 0; rounded -= 32) {
    int threads = std::min(rounded, largest);
    int blocks = blocks_on_sm(pe, *kernel, threads, shared_of ? shared_of(threads) : shared);
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * gpu.sms;
  }
  return CUDA_SUCCESS;
}

SHMEMU_SECOND_VERSION(cuModuleGetGlobal);

}  // extern "C"
