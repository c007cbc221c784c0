// The CUDA runtime of one PE in virtual time: how API functions find streams and put commands into them.
// Every command of every stream goes through `enqueue`, so that stream capture has one place to look.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cuda_runtime_api.h"
#include "device/machine.hpp"
#include "emu/core/current.hpp"
#include "emu/core/world.hpp"

namespace shmemu::emu {

// Leads to Machine::finish of the command, now or later; may be called again for a captured graph.
using CommandBody = std::function<void(const device::CommandRef&)>;

// Remembers the error for cudaGetLastError and returns it.
cudaError_t remember(cudaError_t error);
// Charges the host for a call.
inline void charge(Time cost) { g_current.pe->host.gap += cost; }

// Null for a handle that is no stream of this PE.
device::Stream* find_stream(Pe& pe, cudaStream_t handle);
std::vector<device::Stream*> all_streams(Pe& pe);
// What a command does besides its body: a kernel, or a time it takes (absent: nothing but its place in the order).
struct Work {
  std::shared_ptr<const device::Launch> launch;
  GpuId gpu;
  std::optional<Time> duration;
};
device::CommandRef enqueue(device::Stream& stream, OpKind kind, std::string name, Time latency, CommandBody body,
                           const std::vector<device::CommandRef>& also = {}, Work work = {});
// Stops the host until the command has finished (at once if it has).
void wait_for(const device::CommandRef& command, uint64_t site);
void wait_for_device(uint64_t site);

// A launch of the program's kernel or of a native one; checks are the caller's.
device::CommandRef launch(device::Stream& stream, device::Launch launch, std::shared_ptr<device::KernelProgram> program,
                          Time latency);
// Runs `thread` as an internal kernel of one block on the stream.
device::CommandRef launch_native(device::Stream& stream, std::string name, uint32_t threads,
                                 std::function<void()> thread);
// The checks and the launch of a compiled kernel; cooperative ones must fit the GPU.
cudaError_t launch_compiled(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                            cudaStream_t stream, bool cooperative);

// Copies and fills of `rows` rows as one command (see memory.cpp for what pageable host memory means).
cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                      cudaStream_t stream, bool blocking, uint64_t site);
cudaError_t fill_rows(void* to, size_t pitch, int value, size_t width, size_t rows, cudaStream_t stream, bool blocking,
                      uint64_t site);

GpuId gpu_of_device(const Pe& pe, int device);
inline GpuId current_gpu() { return gpu_of_device(*g_current.pe, g_current.pe->cuda.device); }
bool is_device_address(const World& world, const void* p);
bool is_pinned(const Pe& pe, const void* p);

}  // namespace shmemu::emu
