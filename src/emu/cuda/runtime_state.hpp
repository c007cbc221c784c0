// The CUDA runtime of one PE in virtual time: how API functions find streams and put commands into them.
// Every command of every stream goes through `enqueue`, so that stream capture has one place to look.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <typeinfo>
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

// What one file of this folder keeps for a PE: made at first use, owned by the PE.
template <class T>
T& kept(Pe& pe) {
  auto& slot = pe.cuda.kept[typeid(T)];
  if (!slot) slot = std::make_shared<T>();
  return *static_cast<T*>(slot.get());
}

// Null for a handle that is no stream of this PE.
device::Stream* find_stream(Pe& pe, cudaStream_t handle);
// The stream of a command about to be enqueued: it exists, and captures under way allow it.
cudaError_t stream_for_work(cudaStream_t handle, device::Stream*& out);
struct StreamInfo {
  unsigned flags = 0;
  int priority = 0, device = 0;
};
StreamInfo info_of(const Pe& pe, const device::Stream& stream);
// Drops what belongs to a stream or event that goes away: made by device reset.
void destroy_streams_and_events(Pe& pe, uint64_t site);
Event* find_event(cudaEvent_t handle);
std::vector<device::Stream*> all_streams(Pe& pe);
// What a command does besides its body: a kernel, or a time it takes (absent: nothing but its place in the order).
struct Work {
  std::shared_ptr<const device::Launch> launch;
  GpuId gpu;
  std::optional<Time> duration;
};
// Null when the stream is being captured: the work has become a node of a graph.
device::CommandRef enqueue(device::Stream& stream, OpKind kind, std::string name, Time latency, CommandBody body,
                           const std::vector<device::CommandRef>& also = {}, Work work = {});
// Stops the host until the command has finished (at once if it has).
void wait_for(const device::CommandRef& command, uint64_t site);
void wait_for_device(uint64_t site);

// Calls that may not be made while this PE captures a stream: the error, which also ends the captures, or success.
cudaError_t forbidden_in_capture();
// The same for a wait that no capture allows, whatever its mode.
cudaError_t forbidden_in_any_capture();

// A launch of the program's kernel or of a native one; checks are the caller's.
device::CommandRef launch(device::Stream& stream, device::Launch launch, std::shared_ptr<device::KernelProgram> program,
                          Time latency);
// Runs `thread` as an internal kernel of one block on the stream.
device::CommandRef launch_native(device::Stream& stream, std::string name, uint32_t threads,
                                 std::function<void()> thread);
// A collective launch (NVSHMEM) is a cooperative one in a stream of the library, which two events join to the caller's.
enum class LaunchKind { plain, cooperative, collective };
// The checks and the launch of a compiled kernel; all but plain ones must fit the GPU.
cudaError_t launch_compiled(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                            cudaStream_t stream, LaunchKind kind);
// The stream does nothing for `duration` when it comes to this command.
device::CommandRef enqueue_pause(device::Stream& stream, std::string name, Time duration);

// Copies and fills of `rows` rows as one command (see memory.cpp for what pageable host memory means).
cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                      cudaStream_t stream, bool blocking, uint64_t site);
cudaError_t fill_rows(void* to, size_t pitch, int value, size_t width, size_t rows, cudaStream_t stream, bool blocking,
                      uint64_t site);
// The same with elements of 1, 2 or 4 bytes; `width` counts elements.
cudaError_t fill_elements(void* to, size_t pitch, uint32_t value, size_t element, size_t width, size_t rows,
                          cudaStream_t stream, bool blocking, uint64_t site);
// cudaMemcpyKind: the side it calls a device's must be memory that CUDA knows.
cudaError_t check_direction(const void* to, const void* from, cudaMemcpyKind kind);

GpuId gpu_of_device(const Pe& pe, int device);
inline GpuId current_gpu() { return gpu_of_device(*g_current.pe, g_current.pe->cuda.device); }

// What CUDA knows about an address.
enum class MemoryKind : uint8_t { unknown, pinned, managed, device };
struct MemoryBlock {
  MemoryKind kind = MemoryKind::unknown;
  uint64_t base = 0, bytes = 0;
  GpuId gpu;
};
MemoryBlock block_of(Pe& pe, const void* p);
bool is_device_address(const World& world, const void* p);
bool is_pinned(const Pe& pe, const void* p);
// The device of the PE's node with this GPU; absent if it is on another node.
std::optional<int> device_of_gpu(const Pe& pe, GpuId gpu);

}  // namespace shmemu::emu
