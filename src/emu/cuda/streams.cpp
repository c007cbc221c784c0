// Streams and events of the CUDA runtime.
#include <algorithm>

#include "emu/cuda/runtime_state.hpp"

namespace shmemu::emu {

using device::CommandRef;
using device::Stream;

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) g_current.pe->cuda.last_error = error;
  return error;
}

Stream* find_stream(Pe& pe, cudaStream_t handle) {
  auto* key = static_cast<void*>(handle);
  if (handle == cudaStreamLegacy) key = nullptr;
  auto& streams = pe.cuda.streams;
  if (auto at = streams.find(key); at != streams.end()) return at->second.get();
  if (key && handle != cudaStreamPerThread) return nullptr;
  auto stream = std::make_unique<Stream>();  // the default streams exist from their first use
  stream->number = key ? pe.cuda.next_stream++ : 0;
  return (streams[key] = std::move(stream)).get();
}

std::vector<Stream*> all_streams(Pe& pe) {
  std::vector<Stream*> list;
  for (auto& [handle, stream] : pe.cuda.streams) list.push_back(stream.get());
  std::sort(list.begin(), list.end(), [](Stream* a, Stream* b) { return a->number < b->number; });
  return list;
}

CommandRef enqueue(Stream& stream, OpKind kind, std::string name, Time latency, CommandBody body,
                   const std::vector<CommandRef>& also, Work work) {
  Pe& pe = *g_current.pe;
  auto command = std::make_shared<device::Command>();
  command->kind = kind;
  command->name = std::move(name);
  command->launch = std::move(work.launch);
  command->gpu = work.gpu;
  command->duration = work.duration;
  device::Machine& machine = pe.world.machine;
  if (body) {
    command->start = [body = std::move(body), weak = std::weak_ptr(command)] { body(weak.lock()); };
  }
  machine.submit(pe.host, stream, all_streams(pe), command, latency, also);
  return command;
}

void wait_for(const CommandRef& command, uint64_t site) {
  if (!command || command->finished) return;
  g_current.world->machine.stop_until = command;
  Op op;
  op.kind = OpKind::stream_wait;
  op.site = site;
  stop(op);
}

void wait_for_device(uint64_t site) {
  Pe& pe = *g_current.pe;
  for (Stream* stream : all_streams(pe)) wait_for(stream->tail, site);
}

namespace {

cudaError_t create_stream(cudaStream_t* out, unsigned flags) {
  if (!out) return remember(cudaErrorInvalidValue);
  if (flags & ~unsigned{cudaStreamNonBlocking}) return remember(cudaErrorInvalidValue);
  CudaState& cuda = g_current.pe->cuda;
  auto stream = std::make_unique<Stream>();
  stream->number = cuda.next_stream++;
  stream->blocking = !(flags & cudaStreamNonBlocking);
  *out = reinterpret_cast<cudaStream_t>(stream.get());
  cuda.streams[stream.get()] = std::move(stream);
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

Event* find_event(cudaEvent_t handle) {
  auto& events = g_current.pe->cuda.events;
  auto at = events.find(handle);
  return at == events.end() ? nullptr : at->second.get();
}

}  // namespace
}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* out) { return create_stream(out, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) { return create_stream(out, flags); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int) { return create_stream(out, flags); }

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream || !handle) return remember(cudaErrorInvalidResourceHandle);
  wait_for(stream->tail, SHMEMU_SITE());  // resources go when the work is done; nobody can tell the difference
  g_current.pe->cuda.streams.erase(static_cast<void*>(handle));
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  charge(g_current.world->platform.host.api_call);
  wait_for(stream->tail, SHMEMU_SITE());
  if (stream->number == 0)
    for (device::Stream* other : all_streams(*g_current.pe))
      if (other->blocking) wait_for(other->tail, SHMEMU_SITE());
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  charge(g_current.world->platform.host.api_call);
  wait_for_device(SHMEMU_SITE());
  return cudaSuccess;
}

// Observing: what has ended by now, at this PE's clock.
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  Op op;
  op.kind = OpKind::host_work;
  op.value = static_cast<uint64_t>(g_current.world->platform.host.api_call.ps);
  op.site = SHMEMU_SITE();
  stop(op);
  return stream->idle() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  if (!out) return remember(cudaErrorInvalidValue);
  auto event = std::make_unique<Event>();
  event->timing = !(flags & cudaEventDisableTiming);
  *out = reinterpret_cast<cudaEvent_t>(event.get());
  g_current.pe->cuda.events[event.get()] = std::move(event);
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* out) { return cudaEventCreateWithFlags(out, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  if (!g_current.pe->cuda.events.erase(static_cast<void*>(handle))) return remember(cudaErrorInvalidResourceHandle);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  Event* event = find_event(handle);
  device::Stream* stream = find_stream(*g_current.pe, stream_handle);
  if (!event || !stream) return remember(cudaErrorInvalidResourceHandle);
  device::Machine& machine = g_current.world->machine;
  event->recorded = enqueue(*stream, OpKind::host_work, "event", {}, [&machine](const device::CommandRef& c) { machine.finish(c); });
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  Event* event = find_event(handle);
  if (!event) return remember(cudaErrorInvalidResourceHandle);
  Op op;
  op.kind = OpKind::host_work;
  op.value = static_cast<uint64_t>(g_current.world->platform.host.api_call.ps);
  op.site = SHMEMU_SITE();
  stop(op);
  return !event->recorded || event->recorded->finished ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  Event* event = find_event(handle);
  if (!event) return remember(cudaErrorInvalidResourceHandle);
  charge(g_current.world->platform.host.api_call);
  wait_for(event->recorded, SHMEMU_SITE());
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start_handle, cudaEvent_t end_handle) {
  Event* start = find_event(start_handle);
  Event* end = find_event(end_handle);
  if (!ms) return remember(cudaErrorInvalidValue);
  if (!start || !end || !start->timing || !end->timing || !start->recorded || !end->recorded)
    return remember(cudaErrorInvalidResourceHandle);
  if (!start->recorded->finished || !end->recorded->finished) return remember(cudaErrorNotReady);
  *ms = static_cast<float>((end->recorded->ended - start->recorded->ended).us() * 1e-3);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  Event* event = find_event(event_handle);
  if (!stream || !event) return remember(cudaErrorInvalidResourceHandle);
  device::Machine& machine = g_current.world->machine;
  enqueue(*stream, OpKind::host_work, "wait for event", {}, [&machine](const device::CommandRef& c) { machine.finish(c); },
          {event->recorded});
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream || !function) return remember(cudaErrorInvalidValue);
  Pe* pe = g_current.pe;
  enqueue(*stream, OpKind::host_work, "host function", {}, [pe, function, data](const device::CommandRef& c) {
    in_name_of(*pe, [&] { function(data); });
    pe->world.machine.memory_changed(pe->id, 0, 1);
    pe->world.machine.finish(c);
  });
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

}  // extern "C"
