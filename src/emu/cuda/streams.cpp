// Streams and events of the CUDA runtime.
#include <algorithm>

#include "emu/cuda/capture.hpp"
#include "emu/cuda/device_facts.hpp"

namespace shmemu::emu {

using device::CommandRef;
using device::Stream;

namespace {

struct StreamTable {
  std::map<const Stream*, StreamInfo> info;
};

}  // namespace

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

StreamInfo info_of(const Pe& pe, const Stream& stream) {
  const auto& table = kept<StreamTable>(const_cast<Pe&>(pe)).info;
  auto at = table.find(&stream);
  return at != table.end() ? at->second
                           : StreamInfo{.device = pe.cuda.device};  // the default streams are of any device
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
  if (auto capture = capture_of(pe, stream)) {
    if (!capture->invalidated) add_node(*capture, stream, kind, std::move(name), std::move(body));
    return nullptr;
  }
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

CommandRef enqueue_pause(Stream& stream, std::string name, Time duration) {
  device::Machine& machine = g_current.world->machine;
  return enqueue(
      stream, OpKind::host_work, std::move(name), g_current.world->platform.gpu.launch_latency,
      [&machine, duration](const CommandRef& c) { machine.finish_later(c, duration); }, {},
      {.launch = nullptr, .gpu = {}, .duration = duration});
}

void wait_for(const CommandRef& command, uint64_t site) {
  if (!command) return;
  if (command->finished) {
    if (auto& checker = g_current.world->checker) checker->learned(g_current.pe->host, *command);
    return;
  }
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

cudaError_t create_stream(cudaStream_t* out, unsigned flags, int priority) {
  if (!out) return remember(cudaErrorInvalidValue);
  if (flags & ~unsigned{cudaStreamNonBlocking}) return remember(cudaErrorInvalidValue);
  Pe& pe = *g_current.pe;
  CudaState& cuda = pe.cuda;
  auto stream = std::make_unique<Stream>();
  stream->number = cuda.next_stream++;
  stream->blocking = !(flags & cudaStreamNonBlocking);
  kept<StreamTable>(pe).info[stream.get()] = {flags, std::clamp(priority, kGreatestPriority, 0), pe.cuda.device};
  *out = reinterpret_cast<cudaStream_t>(stream.get());
  cuda.streams[stream.get()] = std::move(stream);
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

// Observing: what has ended by now, at this PE's clock.
void look(uint64_t site) {
  Op op;
  op.kind = OpKind::host_work;
  op.value = static_cast<uint64_t>(g_current.world->platform.host.api_call.ps);
  op.site = site;
  stop(op);
}

}  // namespace

Event* find_event(cudaEvent_t handle) {
  auto& events = g_current.pe->cuda.events;
  auto at = events.find(static_cast<void*>(handle));
  return at == events.end() ? nullptr : at->second.get();
}

void destroy_streams_and_events(Pe& pe, uint64_t site) {
  wait_for_device(site);
  kept<Captures>(pe) = {};
  kept<StreamTable>(pe).info.clear();
  std::erase_if(pe.cuda.streams, [](auto& entry) { return entry.first == entry.second.get(); });
  pe.cuda.events.clear();
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* out) { return create_stream(out, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) { return create_stream(out, flags, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
  return create_stream(out, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  Pe& pe = *g_current.pe;
  device::Stream* stream = find_stream(pe, handle);
  if (!stream || !handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
    return remember(cudaErrorInvalidResourceHandle);
  forget_stream(pe, *stream);
  wait_for(stream->tail, SHMEMU_SITE());  // resources go when the work is done; nobody can tell the difference
  kept<StreamTable>(pe).info.erase(stream);
  pe.cuda.streams.erase(static_cast<void*>(handle));
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (cudaError_t e = capture_of(*g_current.pe, *stream) ? forbidden_in_any_capture() : forbidden_in_capture())
    return e;
  charge(g_current.world->platform.host.api_call);
  wait_for(stream->tail, SHMEMU_SITE());
  if (stream->number == 0)
    for (device::Stream* other : all_streams(*g_current.pe))
      if (other->blocking) wait_for(other->tail, SHMEMU_SITE());
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  if (cudaError_t e = forbidden_in_any_capture()) return e;
  charge(g_current.world->platform.host.api_call);
  wait_for_device(SHMEMU_SITE());
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (cudaError_t e = capture_of(*g_current.pe, *stream) ? forbidden_in_any_capture() : forbidden_in_capture())
    return e;
  look(SHMEMU_SITE());
  if (!stream->idle()) return remember(cudaErrorNotReady);
  wait_for(stream->tail, 0);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  bool interprocess_with_timing = (flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming);
  if (!out || (flags & ~kKnown) || interprocess_with_timing) return remember(cudaErrorInvalidValue);
  auto event = std::make_unique<Event>();
  event->timing = !(flags & cudaEventDisableTiming);
  *out = reinterpret_cast<cudaEvent_t>(event.get());
  g_current.pe->cuda.events[event.get()] = std::move(event);
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* out) { return cudaEventCreateWithFlags(out, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  Event* event = find_event(handle);
  if (!event) return remember(cudaErrorInvalidResourceHandle);
  kept<Captures>(*g_current.pe).events.erase(event);
  g_current.pe->cuda.events.erase(static_cast<void*>(handle));
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  Event* event = find_event(handle);
  if (!event) return remember(cudaErrorInvalidResourceHandle);
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(stream_handle, stream)) return e;
  const HostModel& host = g_current.world->platform.host;
  charge(event->timing ? host.event_call : host.api_call);
  bool done;
  if (cudaError_t e = record_in_capture(*g_current.pe, *event, *stream, done); done) return e;
  event->recorded =
      enqueue_pause(*stream, "event", event->timing ? g_current.world->platform.gpu.event_record : Time{});
  return cudaSuccess;
}

// An external record in a captured stream is a node that records the event each time the graph runs.
cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream_handle, unsigned flags) {
  if (flags & ~unsigned{cudaEventRecordExternal}) return remember(cudaErrorInvalidValue);
  if (flags == cudaEventRecordDefault) return cudaEventRecord(handle, stream_handle);
  Event* event = find_event(handle);
  if (!event) return remember(cudaErrorInvalidResourceHandle);
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(stream_handle, stream)) return e;
  Pe& pe = *g_current.pe;
  auto capture = capture_of(pe, *stream);
  if (!capture) return remember(cudaErrorIllegalState);
  charge(pe.world.platform.host.api_call);
  auto body = [&pe, handle](const device::CommandRef& c) {
    if (auto at = pe.cuda.events.find(static_cast<void*>(handle)); at != pe.cuda.events.end()) at->second->recorded = c;
    pe.world.machine.finish(c);
  };
  add_node(*capture, *stream, OpKind::host_work, "event", body).type = cudaGraphNodeTypeEventRecord;
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  Event* event = find_event(handle);
  if (!event) return remember(cudaErrorInvalidResourceHandle);
  if (cudaError_t e = check_not_captured(*g_current.pe, *event)) return forbidden_in_capture(), remember(e);
  if (cudaError_t e = forbidden_in_capture()) return e;
  look(SHMEMU_SITE());
  if (event->recorded && !event->recorded->finished) return remember(cudaErrorNotReady);
  wait_for(event->recorded, 0);
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  Event* event = find_event(handle);
  if (!event) return remember(cudaErrorInvalidResourceHandle);
  if (cudaError_t e = check_not_captured(*g_current.pe, *event)) return forbidden_in_capture(), remember(e);
  if (cudaError_t e = forbidden_in_capture()) return e;
  charge(g_current.world->platform.host.api_call);
  wait_for(event->recorded, SHMEMU_SITE());
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start_handle, cudaEvent_t end_handle) {
  if (!ms) return remember(cudaErrorInvalidValue);
  Event* start = find_event(start_handle);
  Event* end = find_event(end_handle);
  if (!start || !end) return remember(cudaErrorInvalidResourceHandle);
  for (Event* event : {start, end})
    if (cudaError_t e = check_not_captured(*g_current.pe, *event)) return remember(e);
  if (!start->timing || !end->timing || !start->recorded || !end->recorded)
    return remember(cudaErrorInvalidResourceHandle);
  look(SHMEMU_SITE());
  if (!start->recorded->finished || !end->recorded->finished) return remember(cudaErrorNotReady);
  *ms = static_cast<float>((end->recorded->ended - start->recorded->ended).us() * 1e-3);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags) {
  if (flags & ~unsigned{cudaEventWaitExternal}) return remember(cudaErrorInvalidValue);
  Event* event = find_event(event_handle);
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!event || !stream) return remember(cudaErrorInvalidResourceHandle);
  charge(g_current.world->platform.host.api_call);
  if (flags & cudaEventWaitExternal)
    return remember(capture_of(*g_current.pe, *stream) ? cudaErrorNotSupported : cudaErrorIllegalState);
  bool done;
  if (cudaError_t e = wait_in_capture(*g_current.pe, *event, *stream, done); done) return remember(e);
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  device::Machine& machine = g_current.world->machine;
  enqueue(*stream, OpKind::host_work, "wait for event", {},
          [&machine](const device::CommandRef& c) { machine.finish(c); }, {event->recorded});
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  if (!function) return remember(cudaErrorInvalidValue);
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  Pe* pe = g_current.pe;
  enqueue(*stream, OpKind::host_work, "host function", {}, [pe, function, data](const device::CommandRef& c) {
    in_name_of(*pe, [&] { function(data); });
    pe->world.machine.memory_changed(pe->id, 0, 1);
    pe->world.machine.finish(c);
  });
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t function, void* data, unsigned flags) {
  if (!function || flags) return remember(cudaErrorInvalidValue);
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  if (capture_of(*g_current.pe, *stream)) return forbidden_in_any_capture();
  Pe* pe = g_current.pe;
  enqueue(*stream, OpKind::host_work, "callback", {}, [pe, handle, function, data](const device::CommandRef& c) {
    in_name_of(*pe, [&] { function(handle, cudaSuccess, data); });
    pe->world.machine.memory_changed(pe->id, 0, 1);
    pe->world.machine.finish(c);
  });
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

}  // extern "C"
