#include "emu/cuda/capture.hpp"

#include <algorithm>

namespace shmemu::emu {

using device::Stream;

namespace {

cudaGraphNodeType type_of(OpKind kind) {
  switch (kind) {
    case OpKind::launch: return cudaGraphNodeTypeKernel;
    case OpKind::copy: return cudaGraphNodeTypeMemcpy;
    case OpKind::fill: return cudaGraphNodeTypeMemset;
    default: return cudaGraphNodeTypeHost;
  }
}

void add_missing(std::vector<GraphNode*>& to, const std::vector<GraphNode*>& from) {
  for (GraphNode* node : from)
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

// Everything that must have ended before one of `last` ends, and these themselves.
std::set<const GraphNode*> ancestors(const std::vector<GraphNode*>& last) {
  std::set<const GraphNode*> found;
  std::vector<const GraphNode*> todo(last.begin(), last.end());
  while (!todo.empty()) {
    const GraphNode* node = todo.back();
    todo.pop_back();
    if (found.insert(node).second) todo.insert(todo.end(), node->needs.begin(), node->needs.end());
  }
  return found;
}

// A function that a stream calls may not call CUDA (CUDA runtime documentation, cudaLaunchHostFunc).
bool in_callback() { return !g_current.actor; }

void end(Captures& captures, const std::shared_ptr<Capture>& capture) { std::erase(captures.active, capture); }

}  // namespace

bool Graph::has(const GraphNode* node) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](auto& n) { return n.get() == node; });
}

std::shared_ptr<Capture> capture_of(Pe& pe, Stream& stream) {
  for (auto& capture : kept<Captures>(pe).active)
    if (capture->tips.contains(&stream)) return capture;
  return nullptr;
}

GraphNode& add_node(Capture& capture, Stream& stream, OpKind kind, std::string name, CommandBody body) {
  auto& tips = capture.tips[&stream];
  capture.graph->nodes.push_back(
      std::make_unique<GraphNode>(GraphNode{type_of(kind), kind, std::move(name), std::move(body), tips}));
  GraphNode* node = capture.graph->nodes.back().get();
  tips = {node};
  return *node;
}

void forget_stream(Pe& pe, Stream& stream) {
  if (auto capture = capture_of(pe, stream)) end(kept<Captures>(pe), capture);
}

// The legacy default stream waits for blocking streams: one that is captured cannot be waited for (CUDA programming
// guide, "Stream Capture": prohibited and unhandled operations).
cudaError_t stream_for_work(cudaStream_t handle, Stream*& out) {
  if (in_callback()) return remember(cudaErrorNotPermitted);
  Pe& pe = *g_current.pe;
  out = find_stream(pe, handle);
  if (!out) return remember(cudaErrorInvalidResourceHandle);
  Captures& captures = kept<Captures>(pe);
  if (captures.active.empty()) return cudaSuccess;
  if (auto capture = capture_of(pe, *out))
    return capture->invalidated ? remember(cudaErrorStreamCaptureInvalidated) : cudaSuccess;
  bool implicit = false;
  for (auto& capture : captures.active)
    for (auto& [stream, tips] : capture->tips)
      if (out->number == 0 && stream->blocking) implicit = capture->invalidated = true;
  return implicit ? remember(cudaErrorStreamCaptureImplicit) : cudaSuccess;
}

cudaError_t forbidden_in_capture() {
  if (in_callback()) return remember(cudaErrorNotPermitted);
  Captures& captures = kept<Captures>(*g_current.pe);
  if (captures.thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  bool forbidden = false;
  for (auto& capture : captures.active)
    if (capture->mode != cudaStreamCaptureModeRelaxed) forbidden = capture->invalidated = true;
  return forbidden ? remember(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t forbidden_in_any_capture() {
  if (in_callback()) return remember(cudaErrorNotPermitted);
  Captures& captures = kept<Captures>(*g_current.pe);
  for (auto& capture : captures.active) capture->invalidated = true;
  return captures.active.empty() ? cudaSuccess : remember(cudaErrorStreamCaptureUnsupported);
}

cudaError_t record_in_capture(Pe& pe, Event& event, Stream& stream, bool& done) {
  auto& events = kept<Captures>(pe).events;
  auto capture = capture_of(pe, stream);
  done = capture != nullptr;
  if (!capture) {
    events.erase(&event);
    return cudaSuccess;
  }
  events[&event] = {capture, capture->tips[&stream]};
  return cudaSuccess;
}

// Waiting for an event of a capture makes a stream take part in it; waiting across its border is an error.
cudaError_t wait_in_capture(Pe& pe, Event& event, Stream& stream, bool& done) {
  Captures& captures = kept<Captures>(pe);
  auto own = capture_of(pe, stream);
  auto point = captures.events.find(&event);
  done = own || point != captures.events.end();
  if (!done) return cudaSuccess;
  if (own && own->invalidated) return cudaErrorStreamCaptureInvalidated;
  auto refuse = [](const std::shared_ptr<Capture>& capture, cudaError_t why) {
    capture->invalidated = true;
    return why;
  };
  if (point == captures.events.end()) return event.recorded ? refuse(own, cudaErrorStreamCaptureIsolation) : cudaSuccess;
  auto other = point->second.capture.lock();
  if (!other) return own ? refuse(own, cudaErrorInvalidValue) : cudaErrorInvalidValue;  // that capture has ended
  if (other->invalidated) return cudaErrorStreamCaptureInvalidated;
  if (own && own != other) return refuse(other, refuse(own, cudaErrorStreamCaptureMerge));
  if (stream.number == 0) return refuse(other, cudaErrorStreamCaptureImplicit);
  add_missing(other->tips[&stream], point->second.nodes);
  return cudaSuccess;
}

cudaError_t check_not_captured(Pe& pe, const Event& event) {
  auto& events = kept<Captures>(pe).events;
  auto point = events.find(&event);
  if (point == events.end()) return cudaSuccess;
  return point->second.capture.expired() ? cudaErrorInvalidValue : cudaErrorCapturedEvent;
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  Pe& pe = *g_current.pe;
  device::Stream* stream = find_stream(pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (mode > cudaStreamCaptureModeRelaxed) return remember(cudaErrorInvalidValue);
  if (stream->number == 0) return remember(cudaErrorStreamCaptureUnsupported);  // the legacy default stream
  if (capture_of(pe, *stream)) return remember(cudaErrorIllegalState);
  Captures& captures = kept<Captures>(pe);
  auto capture = std::make_shared<Capture>();
  capture->id = captures.next_id++;
  capture->mode = mode;
  capture->origin = stream;
  capture->graph = std::make_shared<Graph>();
  capture->tips[stream] = {};
  captures.active.push_back(std::move(capture));
  charge(pe.world.platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* out) {
  Pe& pe = *g_current.pe;
  device::Stream* stream = find_stream(pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (!out) return remember(cudaErrorInvalidValue);
  *out = nullptr;
  auto capture = capture_of(pe, *stream);
  if (!capture) return remember(cudaErrorIllegalState);
  if (capture->origin != stream) {
    capture->invalidated = true;
    return remember(cudaErrorStreamCaptureUnmatched);
  }
  end(kept<Captures>(pe), capture);
  if (capture->invalidated) return remember(cudaErrorStreamCaptureInvalidated);
  if (ancestors(capture->tips[stream]).size() < capture->graph->nodes.size())
    return remember(cudaErrorStreamCaptureUnjoined);
  *out = give_graph(pe, std::move(capture->graph));
  charge(pe.world.platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** nodes, size_t* count) {
  Pe& pe = *g_current.pe;
  device::Stream* stream = find_stream(pe, handle);
  if (!stream) return remember(cudaErrorInvalidResourceHandle);
  if (!status) return remember(cudaErrorInvalidValue);
  auto capture = capture_of(pe, *stream);
  *status = !capture                ? cudaStreamCaptureStatusNone
            : capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
  if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
  if (id) *id = capture->id;
  if (graph) *graph = reinterpret_cast<cudaGraph_t>(capture->graph.get());
  auto& tips = capture->tips[stream];
  if (nodes) *nodes = reinterpret_cast<const cudaGraphNode_t*>(tips.data());
  if (count) *count = tips.size();
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(handle, status, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (!mode || *mode > cudaStreamCaptureModeRelaxed) return remember(cudaErrorInvalidValue);
  std::swap(*mode, kept<Captures>(*g_current.pe).thread_mode);
  return cudaSuccess;
}

}  // extern "C"
