// Contexts of the driver API. A device has one primary context, which the runtime API uses as well; further ones see the
// same memory and streams, so a context here is little more than a device and its place on the stack.
#include <algorithm>
#include <memory>

#include "emu/cuda/device_facts.hpp"
#include "emu/cuda/device_settings.hpp"
#include "emu/cuda/driver.hpp"
#include "emu/cuda/memory_kinds.hpp"

namespace shmemu::emu {
namespace {

struct Context {
  int device = 0;
  bool primary = false;
  unsigned flags = 0;
};

struct Contexts {
  bool initialised = false;
  bool detached = false;  // the program has made no context current
  std::vector<std::unique_ptr<Context>> all;
  std::map<int, Context*> primary;  // by device
  std::map<int, int> retained;      // of primary contexts
  std::vector<Context*> stack;      // of the host thread
};

Contexts& contexts() { return kept<Contexts>(*g_current.pe); }

Context* primary_of(Contexts& c, int device) {
  Context*& context = c.primary[device];
  if (!context) {
    c.all.push_back(std::make_unique<Context>(Context{device, true, 0}));
    context = c.all.back().get();
  }
  return context;
}

bool runtime_used(Pe& pe) {
  const CudaState& cuda = pe.cuda;
  return cuda.device_chosen || !cuda.streams.empty() || !cuda.events.empty() || !cuda.pinned.empty() ||
         !cuda.managed.empty() || !kept<DeviceAllocations>(pe).live.empty() || pe.shmem.initialised;
}

Context* current_context() {
  Contexts& c = contexts();
  if (!c.stack.empty()) return c.stack.back();
  Pe& pe = *g_current.pe;
  if (c.detached || !runtime_used(pe)) return nullptr;
  c.stack.push_back(primary_of(c, pe.cuda.device));
  return c.stack.back();
}

Context* find_context(CUcontext handle) {
  for (auto& context : contexts().all)
    if (context.get() == reinterpret_cast<Context*>(handle)) return context.get();
  return nullptr;
}

CUcontext handle_of(Context* context) { return reinterpret_cast<CUcontext>(context); }

// After the stack has changed.
void follow_stack(Contexts& c) {
  c.detached = c.stack.empty();
  if (!c.detached) choose_device(*g_current.pe, c.stack.back()->device);
}

}  // namespace

CUresult driver_ready() {
  Contexts& c = contexts();
  return c.initialised || runtime_used(*g_current.pe) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult context_ready() {
  if (CUresult e = driver_ready()) return e;
  return current_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

void note_runtime_call() { contexts().initialised = true; }

void bind_primary_context(Pe&, int device) {
  Contexts& c = contexts();
  if (c.stack.empty()) c.stack.push_back(nullptr);
  c.stack.back() = primary_of(c, device);
  c.detached = false;
}

CUresult as_driver_error(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer: return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
    default: return static_cast<CUresult>(error);  // the rest has the same numbers
  }
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  contexts().initialised = true;
  charge(g_current.world->platform.host.api_call);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  if (CUresult e = driver_ready()) return e;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Contexts& c = contexts();
  *out = handle_of(primary_of(c, device));
  ++c.retained[device];
  charge(g_current.world->platform.host.api_call);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  if (CUresult e = driver_ready()) return e;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  int& count = contexts().retained[device];
  if (count == 0) return CUDA_ERROR_INVALID_CONTEXT;
  --count;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  if (CUresult e = driver_ready()) return e;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Pe& pe = *g_current.pe;
  int current = std::exchange(pe.cuda.device, device);
  cudaError_t error = cudaDeviceReset();
  pe.cuda.device = current;
  return as_driver_error(error);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  if (CUresult e = driver_ready()) return e;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (!are_device_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  settings_of(*g_current.pe, device).flags = flags | CU_CTX_MAP_HOST;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (CUresult e = driver_ready()) return e;
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Pe& pe = *g_current.pe;
  *active = contexts().retained[device] > 0 || (runtime_used(pe) && pe.cuda.device == device);
  *flags = settings_of(pe, device).flags & ~unsigned{CU_CTX_MAP_HOST};
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext* out, unsigned flags, CUdevice device) {
  if (CUresult e = driver_ready()) return e;
  if (!out || !are_device_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  Contexts& c = contexts();
  current_context();
  c.all.push_back(std::make_unique<Context>(Context{device, false, flags | CU_CTX_MAP_HOST}));
  c.stack.push_back(c.all.back().get());
  follow_stack(c);
  *out = handle_of(c.stack.back());
  charge(g_current.world->platform.host.malloc_call);
  return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext handle) {
  if (CUresult e = driver_ready()) return e;
  Context* context = find_context(handle);
  if (!context || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
  wait_for_device(SHMEMU_SITE());
  Contexts& c = contexts();
  std::erase(c.stack, context);
  std::erase_if(c.all, [&](auto& entry) { return entry.get() == context; });
  follow_stack(c);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* out) {
  if (CUresult e = driver_ready()) return e;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = handle_of(current_context());
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext handle) {
  if (CUresult e = driver_ready()) return e;
  Context* context = handle ? find_context(handle) : nullptr;
  if (handle && !context) return CUDA_ERROR_INVALID_CONTEXT;
  Contexts& c = contexts();
  current_context();
  if (!c.stack.empty()) c.stack.pop_back();
  if (context) c.stack.push_back(context);
  follow_stack(c);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext handle) {
  if (CUresult e = driver_ready()) return e;
  Context* context = find_context(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  current_context();
  contexts().stack.push_back(context);
  follow_stack(contexts());
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* out) {
  if (CUresult e = context_ready()) return e;
  Contexts& c = contexts();
  if (out) *out = handle_of(c.stack.back());
  c.stack.pop_back();
  follow_stack(c);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* out) {
  if (CUresult e = context_ready()) return e;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = current_context()->device;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned* out) {
  if (CUresult e = context_ready()) return e;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  Context* context = current_context();
  *out = context->primary ? settings_of(*g_current.pe, context->device).flags : context->flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* out) {
  if (CUresult e = driver_ready()) return e;
  Context* context = handle ? find_context(handle) : current_context();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = 3020;  // as every context of CUDA 12
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  return through_runtime([] { return cudaDeviceSynchronize(); });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return through_runtime([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return through_runtime([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return through_runtime([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return through_runtime([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  Context* peer = find_context(handle);
  if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
  return through_runtime([&] { return cudaDeviceEnablePeerAccess(peer->device, flags); });
}

CUresult cuCtxDisablePeerAccess(CUcontext handle) {
  Context* peer = find_context(handle);
  if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
  return through_runtime([&] { return cudaDeviceDisablePeerAccess(peer->device); });
}

SHMEMU_SECOND_VERSION(cuDevicePrimaryCtxRelease);
SHMEMU_SECOND_VERSION(cuDevicePrimaryCtxReset);
SHMEMU_SECOND_VERSION(cuDevicePrimaryCtxSetFlags);
SHMEMU_SECOND_VERSION(cuCtxCreate);
SHMEMU_SECOND_VERSION(cuCtxDestroy);
SHMEMU_SECOND_VERSION(cuCtxPushCurrent);
SHMEMU_SECOND_VERSION(cuCtxPopCurrent);

}  // extern "C"
