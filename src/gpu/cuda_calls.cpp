// CUDA runtime calls that a run on real GPUs answers itself: what would wait for the device, or knows streams, events,
// kernels. Everything else that a program calls is the CUDA library's own. Device functions come with nvcc's headers,
// so signatures are CUDA's; types are those of our headers, which have the same layout.
#include <cstring>

#include <fmt/format.h>

#include "base/kernel_name.hpp"
#include "gpu/run.hpp"

namespace shmemu::gpu {
namespace {

GpuRun& run() { return *current().run; }
Pe& me() { return *current().pe; }

cudaError_t remember(int error) {
  if (error) me().last_error = error;
  return static_cast<cudaError_t>(error);
}

Stream* stream_of(cudaStream_t handle) { return run().find_stream(me(), handle); }

bool device_side(const void* p) { return memory_type(run().cuda, p) >= 2; }  // device or managed
bool pageable(const void* p) { return memory_type(run().cuda, p) == 0; }

cudaError_t launch(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t handle,
                   bool cooperative) {
  Pe& pe = me();
  Stream* stream = stream_of(handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  pe.since += run().platform.host.launch_call;
  pe.last_error = 0;
  return run().launch(pe, *stream, stub, grid, block, arguments, shared, cooperative, false)
             ? cudaSuccess
             : static_cast<cudaError_t>(pe.last_error);
}

// Work that the GPU does in the stream and that takes `duration` in virtual time.
CommandRef work(Stream& stream, OpKind kind, const char* name, Time duration, std::function<void(cudaStream_t)> start) {
  GpuRun& r = run();
  auto command = std::make_shared<Command>();
  command->name = name;
  Stream* s = &stream;
  command->start = [s, start = std::move(start)] { start(s->real); };
  command->done = [&r, s, name] {
    int e = r.cuda.cudaStreamQuery(s->real);
    if (e && e != cudaErrorNotReady) check(r.cuda, e, name);
    return e != cudaErrorNotReady;
  };
  traces::HostEntry entry;
  entry.kind = kind;
  entry.has_duration = true;
  entry.duration = duration;
  return r.submit(me(), stream, command, std::move(entry));
}

cudaError_t copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                 Stream* stream, bool blocking) {
  GpuRun& r = run();
  Pe& pe = me();
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (!width || !rows) return cudaSuccess;
  if (r.capture(pe, *stream, [=](Stream& s) { copy(to, to_pitch, from, from_pitch, width, rows, &s, false); }))
    return cudaSuccess;
  bool to_device = device_side(to), from_device = device_side(from);
  std::shared_ptr<std::vector<char>> staged;
  if (!from_device && pageable(from)) {  // the caller may change its source when the call returns
    staged = std::make_shared<std::vector<char>>(width * rows);
    for (size_t i = 0; i < rows; ++i)
      std::memcpy(staged->data() + i * width, static_cast<const char*>(from) + i * from_pitch, width);
    from = staged->data();
    from_pitch = width;
  }
  pe.since += r.platform.host.copy_call;
  bool by_host = staged || (!to_device && pageable(to));
  CommandRef command =
      work(*stream, OpKind::copy, "copy", r.copy_time(to, from, width * rows, by_host), [=, &r](cudaStream_t s) {
        (void)staged;
        if (rows == 1) {
          check(r.cuda, r.cuda.cudaMemcpyAsync(to, from, width, cudaMemcpyDefault, s), "cudaMemcpyAsync");
        } else {
          check(r.cuda, r.cuda.cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, rows, cudaMemcpyDefault, s),
                "cudaMemcpy2DAsync");
        }
      });
  if ((blocking && !(to_device && from_device)) || (!to_device && pageable(to))) r.wait_for(pe, command);
  return cudaSuccess;
}

cudaError_t fill(void* to, int value, size_t bytes, Stream* stream) {
  GpuRun& r = run();
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (!bytes) return cudaSuccess;
  if (r.capture(me(), *stream, [=](Stream& s) { fill(to, value, bytes, &s); })) return cudaSuccess;
  me().since += r.platform.host.fill_call;
  Time duration = r.platform.gpu.fill_start + r.platform.gpu.hbm.time_for(bytes);
  work(*stream, OpKind::fill, "fill", duration,
       [=, &r](cudaStream_t s) { check(r.cuda, r.cuda.cudaMemsetAsync(to, value, bytes, s), "cudaMemsetAsync"); });
  return cudaSuccess;
}

void charge(Time HostModel::*call) { me().since += run().platform.host.*call; }

cudaError_t make_stream(cudaStream_t* out, unsigned flags) {
  *out = reinterpret_cast<cudaStream_t>(&run().new_stream(me(), !(flags & 1)));
  charge(&HostModel::api_call);
  return cudaSuccess;
}
Pe::Event* event_of(cudaEvent_t handle) {
  auto at = me().events.find(handle);
  return at == me().events.end() ? nullptr : at->second.get();
}

// A look at something that others change: the PE's turn ends here. Only the look that finds the work done takes virtual
// time: how many were in vain depends on this machine.
cudaError_t look(const CommandRef& work) {
  run().wait(me(), "looks at a stream", [] { return true; });
  if (work && !work->finished) return cudaErrorNotReady;
  charge(&HostModel::api_call);
  run().wait_for(me(), work);
  return cudaSuccess;
}

cudaError_t host_function(Stream* s, void (*function)(void*), void* argument) {
  if (!s) return remember(cudaErrorInvalidResourceHandle);
  if (run().capture(me(), *s, [=](Stream& again) { host_function(&again, function, argument); })) return cudaSuccess;
  auto command = std::make_shared<Command>();
  command->name = "host function";
  Pe* pe = &me();
  command->start = [pe, function, argument] {
    Current outer = current();
    current().pe = pe;
    function(argument);
    current() = outer;
  };
  traces::HostEntry entry;
  entry.kind = OpKind::host_work;
  run().submit(*pe, *s, command, std::move(entry));
  charge(&HostModel::api_call);
  return cudaSuccess;
}

void* in_symbol(const void* symbol, size_t offset) {
  void* at = nullptr;
  if (remember(run().cuda.cudaGetSymbolAddress(&at, symbol))) return nullptr;
  return static_cast<char*>(at) + offset;
}
cudaError_t to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaStream_t stream,
                      bool blocking) {
  void* to = in_symbol(symbol, offset);
  return to ? copy(to, bytes, from, bytes, bytes, 1, stream_of(stream), blocking) : cudaErrorInvalidSymbol;
}
cudaError_t from_symbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaStream_t stream, bool blocking) {
  void* from = in_symbol(symbol, offset);
  return from ? copy(to, bytes, from, bytes, bytes, 1, stream_of(stream), blocking) : cudaErrorInvalidSymbol;
}

// A call that CUDA's own library answers, about the GPU on which the PE's kernels run.
template <class F>
F* real(const char* name) {
  void* f = run().cuda.find(name);
  if (!f) run().fail(ExitCode::program_failed, fmt::format("PE {}: this CUDA has no {}", me().id, name));
  return reinterpret_cast<F*>(f);
}
int real_device() { return run().gpu(me()).device; }
bool modelled(int number) { return number >= 0 && number < run().placement.gpus_per_node; }

}  // namespace
}  // namespace shmemu::gpu

using namespace shmemu;
using namespace shmemu::gpu;

extern "C" {

// ---- registration by the constructors of a PE's copy ----
void** __cudaRegisterFatBinary(void* wrapper) { return run().cuda.__cudaRegisterFatBinary(wrapper); }
void __cudaUnregisterFatBinary(void**) {}  // unloading would wait for all kernels
void __cudaRegisterFunction(void** handle, const char* stub, char* device_stub, const char* name, int limit, void* a,
                            void* b, void* c, void* d, int* e) {
  me().kernels[stub] = kernel_name(name);
  run().cuda.__cudaRegisterFunction(handle, stub, device_stub, name, limit, a, b, c, d, e);
}
void __cudaRegisterVar(void** handle, char* shadow, char* address, const char* name, int external, size_t bytes,
                       int constant, int global) {
  if (std::strstr(name, "__shmemu_gpu_here")) me().places.push_back(shadow);
  run().cuda.__cudaRegisterVar(handle, shadow, address, name, external, bytes, constant, global);
}

// ---- launches ----
cudaError_t __cudaGetKernel(void** kernel, const void* stub) {
  *kernel = const_cast<void*>(stub);  // only __cudaLaunchKernel sees it
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, shared, stream, false);
}
cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  return launch(stub, grid, block, arguments, shared, stream, false);
}
cudaError_t cudaLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream) {
  return launch(stub, grid, block, arguments, shared, stream, true);
}

// ---- devices: those of the modelled node ----
cudaError_t cudaGetDeviceCount(int* count) { return *count = run().placement.gpus_per_node, cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = me().device, cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= run().placement.gpus_per_node) return remember(cudaErrorInvalidDevice);
  me().device = device;
  charge(&HostModel::api_call);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  return remember(modelled(number) ? run().cuda.cudaDeviceGetAttribute(value, attribute, real_device())
                                   : cudaErrorInvalidDevice);
}
// The structure is the one of the CUDA that the program was compiled with; it describes the GPU at hand.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int number) {
  if (!modelled(number)) return remember(cudaErrorInvalidDevice);
  charge(&HostModel::api_call);
  return remember(real<cudaError_t(cudaDeviceProp*, int)>("cudaGetDeviceProperties")(out, real_device()));
}
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* out, int number) {
  if (!modelled(number)) return remember(cudaErrorInvalidDevice);
  charge(&HostModel::api_call);
  return remember(real<cudaError_t(cudaDeviceProp*, int)>("cudaGetDeviceProperties_v2")(out, real_device()));
}
cudaError_t cudaDeviceCanAccessPeer(int* answer, int a, int b) {
  if (!modelled(a) || !modelled(b)) return remember(cudaErrorInvalidDevice);
  return *answer = a != b, cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  charge(&HostModel::api_call);
  return remember(modelled(peer) && peer != me().device ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) { return cudaDeviceEnablePeerAccess(peer, 0); }
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* all) {
  charge(&HostModel::api_call);
  return remember(run().cuda.cudaMemGetInfo(free_bytes, all));
}
cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute attribute, int value) {
  charge(&HostModel::api_call);
  return remember(
      real<cudaError_t(const void*, cudaFuncAttribute, int)>("cudaFuncSetAttribute")(stub, attribute, value));
}
// Memory of a device of the modelled node is memory of the GPU that plays it.
CUresult cuMemCreate(CUmemGenericAllocationHandle* out, size_t bytes, const CUmemAllocationProp* wanted,
                     unsigned long long flags) {
  charge(&HostModel::malloc_call);
  CUmemAllocationProp mine = *wanted;
  if (mine.location.type == CU_MEM_LOCATION_TYPE_DEVICE) mine.location.id = real_device();
  return static_cast<CUresult>(run().cuda.cuMemCreate(out, bytes, &mine, flags));
}
CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc* wanted, size_t count) {
  charge(&HostModel::malloc_call);
  std::vector<CUmemAccessDesc> mine(wanted, wanted + count);
  for (auto& d : mine)
    if (d.location.type == CU_MEM_LOCATION_TYPE_DEVICE) d.location.id = real_device();
  return static_cast<CUresult>(run().cuda.cuMemSetAccess(at, bytes, mine.data(), mine.empty() ? 0 : 1));
}
CUresult cuMemAddressReserve(CUdeviceptr* out, size_t bytes, size_t alignment, CUdeviceptr at,
                             unsigned long long flags) {
  charge(&HostModel::malloc_call);
  return static_cast<CUresult>(run().cuda.cuMemAddressReserve(out, bytes, alignment, at, flags));
}
CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes) {
  charge(&HostModel::malloc_call);
  return static_cast<CUresult>(run().cuda.cuMemAddressFree(at, bytes));
}
CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle memory,
                  unsigned long long flags) {
  charge(&HostModel::malloc_call);
  return static_cast<CUresult>(run().cuda.cuMemMap(at, bytes, offset, memory, flags));
}
CUresult cuMemUnmap(CUdeviceptr at, size_t bytes) {
  charge(&HostModel::malloc_call);
  return static_cast<CUresult>(run().cuda.cuMemUnmap(at, bytes));
}
CUresult cuMemGetAllocationGranularity(size_t* out, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
  return *out = 2 << 20, CUDA_SUCCESS;
}
cudaError_t cudaDeviceSynchronize() {
  charge(&HostModel::api_call);
  run().wait_for_all(me());
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(std::exchange(me().last_error, 0)); }
cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(me().last_error); }
cudaError_t cudaMalloc(void** out, size_t bytes) {
  if (bytes) charge(&HostModel::malloc_call);
  return remember(run().cuda.cudaMalloc(out, bytes));
}
// Waits for the PE's device, as everywhere. CUDA's own would wait for all kernels of the GPU: freed when the run ends.
cudaError_t cudaFree(void*) {
  charge(&HostModel::free_call);
  run().wait_for_all(me());
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned flags) {
  charge(&HostModel::malloc_call);
  return remember(run().cuda.cudaHostAlloc(out, bytes, flags));
}
cudaError_t cudaMallocHost(void** out, size_t bytes) { return cudaHostAlloc(out, bytes, 0); }
cudaError_t cudaFreeHost(void*) {
  charge(&HostModel::malloc_call);
  run().wait_for_all(me());
  return cudaSuccess;
}

// ---- streams ----
cudaError_t cudaStreamCreate(cudaStream_t* out) { return make_stream(out, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) { return make_stream(out, flags); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int) { return make_stream(out, flags); }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }  // its commands may still run
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  Stream* s = stream_of(handle);
  if (!s) return remember(cudaErrorInvalidResourceHandle);
  charge(&HostModel::api_call);
  run().wait_for(me(), s->tail);
  if (s->number == 0)
    for (auto& [other_handle, other] : me().streams)
      if (other->blocking && other.get() != s) run().wait_for(me(), other->tail);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  Stream* s = stream_of(handle);
  return s ? look(s->tail) : remember(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
  Stream* s = stream_of(handle);
  Pe::Event* event = event_of(event_handle);
  if (!s || !event) return remember(cudaErrorInvalidResourceHandle);
  charge(&HostModel::api_call);
  if (run().capture_wait(me(), *s, *event) || !event->recorded) return cudaSuccess;
  auto command = std::make_shared<Command>();
  command->name = "wait for event";
  command->after.push_back(event->recorded);
  traces::HostEntry entry;
  entry.kind = OpKind::host_work;
  run().submit(me(), *s, command, std::move(entry));
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t handle, void (*function)(void*), void* argument) {
  return host_function(stream_of(handle), function, argument);
}

// ---- events ----
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  auto event = std::make_unique<Pe::Event>();
  event->timing = !(flags & cudaEventDisableTiming);
  charge(&HostModel::api_call);
  void* key = event.get();
  me().events[key] = std::move(event);
  *out = static_cast<cudaEvent_t>(key);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* out) { return cudaEventCreateWithFlags(out, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  Pe::Event* event = event_of(handle);
  Stream* s = stream_of(stream_handle);
  if (!event || !s) return remember(cudaErrorInvalidResourceHandle);
  GpuRun& r = run();
  if (r.capture_event(me(), *s, *event)) return cudaSuccess;
  auto command = std::make_shared<Command>();
  command->name = "event";
  if (r.options.real_time) {
    if (!event->real) check(r.cuda, r.cuda.cudaEventCreateWithFlags(&event->real, 0), "cudaEventCreate");
    command->start = [&r, s, real = event->real] { r.cuda.cudaEventRecord(real, s->real); };
    command->done = [&r, real = event->real] { return r.cuda.cudaEventQuery(real) != cudaErrorNotReady; };
  }
  traces::HostEntry entry;
  entry.kind = OpKind::host_work;
  entry.latency = r.platform.gpu.launch_latency;
  entry.has_duration = true;
  entry.duration = event->timing ? r.platform.gpu.event_record : Time{};
  charge(event->timing ? &HostModel::event_call : &HostModel::api_call);
  event->recorded = r.submit(me(), *s, command, std::move(entry));
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  Pe::Event* event = event_of(handle);
  return event ? look(event->recorded) : remember(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  Pe::Event* event = event_of(handle);
  if (!event) return remember(cudaErrorInvalidResourceHandle);
  charge(&HostModel::api_call);
  run().wait_for(me(), event->recorded);
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from_handle, cudaEvent_t to_handle) {
  Pe::Event *from = event_of(from_handle), *to = event_of(to_handle);
  if (!from || !to || !from->recorded || !to->recorded || !from->timing || !to->timing)
    return remember(cudaErrorInvalidResourceHandle);
  if (!from->recorded->finished || !to->recorded->finished) return remember(cudaErrorNotReady);
  GpuRun& r = run();
  charge(&HostModel::api_call);
  if (r.options.real_time) return remember(r.cuda.cudaEventElapsedTime(ms, from->real, to->real));
  Time a = r.ended(me(), *from->recorded), b = r.ended(me(), *to->recorded);
  *ms = static_cast<float>(static_cast<double>((b - a).ps) / 1e9);
  return cudaSuccess;
}

// ---- copies and fills ----
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return copy(to, bytes, from, bytes, bytes, 1, stream_of(nullptr), true);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return copy(to, bytes, from, bytes, bytes, 1, stream_of(stream), false);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                         cudaMemcpyKind) {
  return copy(to, to_pitch, from, from_pitch, width, rows, stream_of(nullptr), true);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                              cudaMemcpyKind, cudaStream_t stream) {
  return copy(to, to_pitch, from, from_pitch, width, rows, stream_of(stream), false);
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) { return fill(to, value, bytes, stream_of(nullptr)); }
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return fill(to, value, bytes, stream_of(stream));
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind) {
  return to_symbol(symbol, from, bytes, offset, nullptr, true);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind) {
  return from_symbol(to, symbol, bytes, offset, nullptr, true);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind,
                                    cudaStream_t stream) {
  return to_symbol(symbol, from, bytes, offset, stream, false);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind,
                                      cudaStream_t stream) {
  return from_symbol(to, symbol, bytes, offset, stream, false);
}
cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t) {
  charge(&HostModel::api_call);
  return remember(run().cuda.cudaMalloc(out, bytes));
}
cudaError_t cudaFreeAsync(void*, cudaStream_t) { return cudaSuccess; }
}  // extern "C"
