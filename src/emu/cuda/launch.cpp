// Kernel launches: registration of the program's kernels, <<<>>>, cooperative launches, and the runtime's own kernels.
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "base/kernel_name.hpp"
#include "emu/cuda/runtime_state.hpp"

namespace shmemu::emu {

using device::CommandRef;
using device::Launch;
using device::Stream;

CommandRef launch(Stream& stream, Launch l, std::shared_ptr<device::KernelProgram> program, Time latency) {
  Pe* pe = g_current.pe;
  GpuId gpu = current_gpu();
  std::string name = l.name;
  auto shape = std::make_shared<const Launch>(l);
  return enqueue(stream, OpKind::launch, name, latency,
                 [pe, gpu, l = std::move(l), program = std::move(program)](const CommandRef& command) {
                   auto grid = std::make_unique<device::Grid>();
                   grid->launch = l;
                   grid->pe = pe->id;
                   grid->gpu = gpu;
                   grid->number = pe->cuda.launches++;
                   grid->stream = command->stream;
                   grid->program = program;
                   grid->on_end = [pe, command] { pe->world.machine.finish(command); };
                   pe->world.machine.start_grid(std::move(grid));
                 },
                 {}, {.launch = std::move(shape), .gpu = gpu, .duration = {}});
}

CommandRef launch_native(Stream& stream, std::string name, uint32_t threads, std::function<void()> thread) {
  Launch l;
  l.name = std::move(name);
  l.block.x = threads;
  l.internal = true;
  Pe& pe = *g_current.pe;
  return launch(stream, std::move(l), std::make_shared<NativeKernel>(pe.world, pe, std::move(thread)),
                pe.world.platform.gpu.launch_latency);
}

cudaError_t launch_compiled(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                            cudaStream_t handle, LaunchKind kind) {
  Pe& pe = *g_current.pe;
  const uint64_t site = std::exchange(pe.cuda.launch_site, 0);
  const GpuModel& gpu = pe.world.platform.gpu;
  const shmemu_module* module = nullptr;
  const shmemu_kernel* kernel = pe.registry.find_kernel(stub, &module);
  if (!kernel) return remember(cudaErrorInvalidDeviceFunction);
  Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  if (info_of(pe, *stream).device != pe.cuda.device) return remember(cudaErrorInvalidResourceHandle);
  Launch l;
  l.name = kernel_name(kernel->name);
  l.site = site;
  l.grid = {grid.x, grid.y, grid.z};
  l.block = {block.x, block.y, block.z};
  l.cooperative = kind != LaunchKind::plain;
  l.shared_bytes = kernel->static_shared + shared;
  uint64_t threads = l.block.count();
  // limits of compute capability 9.0 (CUDA programming guide, technical specifications)
  bool shape_ok = l.grid.count() && threads && threads <= static_cast<uint64_t>(gpu.max_threads_per_cta) &&
                  grid.x <= 0x7fffffffu && grid.y <= 65535 && grid.z <= 65535 && block.x <= 1024 && block.y <= 1024 &&
                  block.z <= 64 && (!kernel->max_threads || threads <= kernel->max_threads);
  if (!shape_ok) return remember(cudaErrorInvalidConfiguration);
  constexpr uint64_t kDefaultShared = 48 << 10;
  auto limit = pe.cuda.dynamic_shared_limit.find(stub);
  uint64_t dynamic_limit = limit != pe.cuda.dynamic_shared_limit.end()
                               ? static_cast<uint64_t>(limit->second)
                               : kDefaultShared - std::min<uint64_t>(kDefaultShared, kernel->static_shared);
  if (shared > dynamic_limit || l.shared_bytes > gpu.shared_per_cta) return remember(cudaErrorInvalidValue);
  int resident = device::Gpu::resident_limit(gpu, static_cast<uint32_t>(threads), l.shared_bytes);
  if (resident == 0) return remember(cudaErrorLaunchOutOfResources);
  if (l.cooperative && l.grid.count() > static_cast<uint64_t>(resident))
    return remember(cudaErrorCooperativeLaunchTooLarge);
  auto program = std::make_shared<CompiledKernel>(pe.world, pe, *kernel, *module, arguments, shared);
  const HostModel& host = pe.world.platform.host;
  charge(kind == LaunchKind::collective ? host.collective_launch_call : host.launch_call);
  if (kind == LaunchKind::collective) enqueue_pause(*stream, "join", gpu.stream_join);
  launch(*stream, std::move(l), std::move(program), gpu.launch_latency);
  return cudaSuccess;
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

void __shmemu_register_2(const shmemu_module* module) { g_current.pe->registry.modules[module->unit].push_back(module); }

// clang's registration constructors: the fat binary's bytes are the name of the translation unit.
void** __cudaRegisterFatBinary(void* wrapper) {
  struct Wrapper {
    int magic, version;
    const char* data;
    void* unused;
  };
  return reinterpret_cast<void**>(const_cast<char*>(static_cast<Wrapper*>(wrapper)->data));
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}

int __cudaRegisterFunction(void** unit, const char* stub, char*, const char* name, int, void*, void*, void*, void*,
                           int*) {
  g_current.pe->registry.kernels[stub] = {reinterpret_cast<const char*>(unit), name};
  return 0;
}

void __cudaRegisterVar(void** unit, char* shadow, char*, const char* name, int, size_t, int, int) {
  g_current.pe->registry.variables[shadow] = {reinterpret_cast<const char*>(unit), name};
}

void __cudaRegisterManagedVar(void** unit, void**, char* shadow, const char* name, size_t, unsigned) {
  g_current.pe->registry.variables[shadow] = {reinterpret_cast<const char*>(unit), name};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st* stream) {
  g_current.pe->cuda.configurations.push_back(
      {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, stream, SHMEMU_SITE()});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  auto& stack = g_current.pe->cuda.configurations;
  if (stack.empty()) return remember(cudaErrorMissingConfiguration);
  auto c = stack.back();
  stack.pop_back();
  *grid = dim3(c.grid.x, c.grid.y, c.grid.z);
  *block = dim3(c.block.x, c.block.y, c.block.z);
  *shared = c.shared;
  *static_cast<void**>(stream) = c.stream;
  g_current.pe->cuda.launch_site = c.site;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  // between <<<>>> and here lies only clang's stub
  if (uint64_t& site = g_current.pe->cuda.launch_site; !site) site = SHMEMU_SITE();
  return launch_compiled(stub, grid, block, arguments, shared, stream, LaunchKind::plain);
}

cudaError_t cudaLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream) {
  g_current.pe->cuda.launch_site = SHMEMU_SITE();
  return launch_compiled(stub, grid, block, arguments, shared, stream, LaunchKind::cooperative);
}

}  // extern "C"
