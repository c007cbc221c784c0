// Stream capture and graphs. A captured call is kept as a function that makes it again on a stream; a graph is the list
// of them in the order of the calls, which respects every dependency. Branches of a graph run one after the other.
#include <set>

#include "gpu/run.hpp"

namespace shmemu::gpu {
namespace {

struct Graph {
  std::vector<std::function<void(Stream&)>> calls;
};
struct Capture {
  Stream* origin = nullptr;
  std::set<const Stream*> streams;
  std::set<const Pe::Event*> events;  // recorded in one of them
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
};
struct GraphsOfPe {
  std::vector<Capture> captures;  // under way
  std::map<void*, std::shared_ptr<Graph>> graphs, executables;
};
using Graphs = std::map<int, GraphsOfPe>;  // by PE

GpuRun& run() { return *current().run; }
Pe& me() { return *current().pe; }
GraphsOfPe& graphs() { return run().kept<Graphs>()[me().id]; }

Capture* capture_of(GraphsOfPe& g, const Stream& stream) {
  for (Capture& c : g.captures)
    if (c.streams.contains(&stream)) return &c;
  return nullptr;
}

std::shared_ptr<Graph> find(std::map<void*, std::shared_ptr<Graph>>& in, void* handle) {
  auto at = in.find(handle);
  return at == in.end() ? nullptr : at->second;
}

void charge(int64_t calls) { me().since += run().platform.host.api_call * calls; }
cudaError_t remember(cudaError_t e) {
  if (e) me().last_error = e;
  return e;
}

}  // namespace

bool GpuRun::capture(Pe& pe, Stream& stream, std::function<void(Stream&)> again) {
  Capture* c = capture_of(kept<Graphs>()[pe.id], stream);
  if (!c) return false;
  c->graph->calls.push_back(std::move(again));
  return true;
}

bool GpuRun::capture_event(Pe& pe, Stream& stream, Pe::Event& event) {
  GraphsOfPe& g = kept<Graphs>()[pe.id];
  for (Capture& c : g.captures) c.events.erase(&event);
  Capture* c = capture_of(g, stream);
  if (!c) return false;
  c->events.insert(&event);
  return true;
}

// A stream that waits for an event of a capture takes part in it.
bool GpuRun::capture_wait(Pe& pe, Stream& stream, Pe::Event& event) {
  GraphsOfPe& g = kept<Graphs>()[pe.id];
  for (Capture& c : g.captures)
    if (c.events.contains(&event)) return c.streams.insert(&stream), true;
  return capture_of(g, stream) != nullptr;
}

}  // namespace shmemu::gpu

using namespace shmemu;
using namespace shmemu::gpu;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  Stream* s = run().find_stream(me(), handle);
  if (!s) return remember(cudaErrorInvalidResourceHandle);
  if (s->number == 0) return remember(cudaErrorStreamCaptureUnsupported);
  if (capture_of(graphs(), *s)) return remember(cudaErrorIllegalState);
  Capture c;
  c.origin = s;
  c.streams.insert(s);
  graphs().captures.push_back(std::move(c));
  charge(1);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* out) {
  Stream* s = run().find_stream(me(), handle);
  Capture* c = s ? capture_of(graphs(), *s) : nullptr;
  if (!c || !out) return remember(cudaErrorIllegalState);
  if (c->origin != s) return remember(cudaErrorStreamCaptureUnmatched);
  auto graph = std::move(c->graph);
  graphs().captures.erase(graphs().captures.begin() + (c - graphs().captures.data()));
  *out = reinterpret_cast<cudaGraph_t>(graph.get());
  graphs().graphs[graph.get()] = std::move(graph);
  charge(1);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  Stream* s = run().find_stream(me(), handle);
  if (!s) return remember(cudaErrorInvalidResourceHandle);
  *status = capture_of(graphs(), *s) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t handle, unsigned long long) {
  auto graph = find(graphs().graphs, handle);
  if (!graph || !out) return remember(cudaErrorInvalidValue);
  auto executable = std::make_shared<Graph>(*graph);
  charge(1 + static_cast<int64_t>(graph->calls.size()));  // guess: about a call per node
  *out = reinterpret_cast<cudaGraphExec_t>(executable.get());
  graphs().executables[executable.get()] = std::move(executable);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t handle, unsigned long long flags) {
  return cudaGraphInstantiate(out, handle, flags);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t) {
  charge(1);
  return find(graphs().executables, handle) ? cudaSuccess : remember(cudaErrorInvalidValue);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  auto executable = find(graphs().executables, handle);
  Stream* s = run().find_stream(me(), stream_handle);
  if (!executable || !s) return remember(cudaErrorInvalidValue);
  Time before = me().since;
  for (auto& call : executable->calls) {
    me().since = before;  // the host makes one call for all of them
    call(*s);
    before = {};
  }
  me().since = run().platform.host.launch_call;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return graphs().graphs.erase(handle) ? cudaSuccess : remember(cudaErrorInvalidValue);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return graphs().executables.erase(handle) ? cudaSuccess : remember(cudaErrorInvalidValue);
}

}  // extern "C"
