// Graphs: nodes made by capture or by hand, instantiation, launch.
#include <algorithm>
#include <fstream>

#include "emu/cuda/capture.hpp"
#include "emu/cuda/functions.hpp"

namespace shmemu::emu {

using device::CommandRef;

namespace {

struct GraphExec {
  std::shared_ptr<const Plan> plan;
  CommandRef last;  // an executable graph does not run twice at once
};

struct Graphs {
  std::map<const void*, std::shared_ptr<Graph>> graphs;
  std::map<const void*, std::shared_ptr<GraphExec>> executables;
};

std::shared_ptr<Graph> find_graph(cudaGraph_t handle) {
  auto& graphs = kept<Graphs>(*g_current.pe).graphs;
  auto at = graphs.find(handle);
  return at == graphs.end() ? nullptr : at->second;
}

std::shared_ptr<GraphExec> find_executable(cudaGraphExec_t handle) {
  auto& executables = kept<Graphs>(*g_current.pe).executables;
  auto at = executables.find(handle);
  return at == executables.end() ? nullptr : at->second;
}

// Nodes of the graph, each once.
bool read_nodes(const Graph& graph, const cudaGraphNode_t* given, size_t count, std::vector<GraphNode*>& out) {
  if (count && !given) return false;
  for (size_t i = 0; i < count; ++i) {
    auto* node = reinterpret_cast<GraphNode*>(given[i]);
    if (!graph.has(node) || std::find(out.begin(), out.end(), node) != out.end()) return false;
    out.push_back(node);
  }
  return true;
}

// A node made by hand is the one that a captured call makes: a private stream whose work so far is what the node needs.
class HandMade {
 public:
  HandMade(Pe& pe, std::shared_ptr<Graph> graph, std::vector<GraphNode*> needs) : pe_(pe), stream_(new device::Stream) {
    stream_->number = -1;
    stream_->blocking = false;
    pe.cuda.streams[stream_].reset(stream_);
    capture_->mode = cudaStreamCaptureModeRelaxed;
    capture_->origin = stream_;
    capture_->graph = std::move(graph);
    capture_->tips[stream_] = std::move(needs);
    kept<Captures>(pe).active.push_back(capture_);
  }
  ~HandMade() {
    std::erase(kept<Captures>(pe_).active, capture_);
    pe_.cuda.streams.erase(stream_);
  }
  HandMade(const HandMade&) = delete;
  HandMade& operator=(const HandMade&) = delete;

  cudaStream_t stream() const { return reinterpret_cast<cudaStream_t>(stream_); }
  GraphNode& node() { return *capture_->graph->nodes.back(); }
  GraphNode& add_empty() {
    device::Machine& machine = pe_.world.machine;
    GraphNode& made = add_node(*capture_, *stream_, OpKind::host_work, "empty",
                               [&machine](const CommandRef& c) { machine.finish(c); });
    made.type = cudaGraphNodeTypeEmpty;
    return made;
  }

 private:
  Pe& pe_;
  device::Stream* stream_;  // owned by the PE's table
  std::shared_ptr<Capture> capture_ = std::make_shared<Capture>();
};

// Runs `make(stream)`, which must enqueue one command.
template <class F>
cudaError_t add_by_hand(cudaGraphNode_t* out, cudaGraph_t handle, const cudaGraphNode_t* given, size_t count, F make) {
  auto graph = find_graph(handle);
  std::vector<GraphNode*> needs;
  if (!out || !graph || !read_nodes(*graph, given, count, needs)) return remember(cudaErrorInvalidValue);
  HandMade scope(*g_current.pe, graph, std::move(needs));
  if (cudaError_t e = make(scope)) return e;
  *out = reinterpret_cast<cudaGraphNode_t>(&scope.node());
  return cudaSuccess;
}

cudaError_t instantiate(cudaGraphExec_t* out, cudaGraph_t handle, unsigned long long flags) {
  constexpr unsigned long long kKnown = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                        cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
  auto graph = find_graph(handle);
  if (!out || !graph || (flags & ~kKnown)) return remember(cudaErrorInvalidValue);
  if (flags & cudaGraphInstantiateFlagDeviceLaunch) return remember(cudaErrorNotSupported);
  auto plan = plan_of(*graph);
  if (!plan) return remember(cudaErrorInvalidValue);
  Pe& pe = *g_current.pe;
  // guess: about a call per node
  charge(pe.world.platform.host.api_call * static_cast<int64_t>(1 + plan->steps.size()));
  auto executable = std::make_shared<GraphExec>();
  executable->plan = std::move(plan);
  *out = reinterpret_cast<cudaGraphExec_t>(executable.get());
  kept<Graphs>(pe).executables[executable.get()] = std::move(executable);
  return cudaSuccess;
}

}  // namespace

cudaGraph_t give_graph(Pe& pe, std::shared_ptr<Graph> graph) {
  auto handle = reinterpret_cast<cudaGraph_t>(graph.get());
  kept<Graphs>(pe).graphs[handle] = std::move(graph);
  return handle;
}

std::shared_ptr<const Plan> plan_of(const Graph& graph) {
  auto plan = std::make_shared<Plan>();
  std::map<const GraphNode*, size_t> place;
  while (plan->steps.size() < graph.nodes.size()) {
    size_t before = plan->steps.size();
    for (auto& node : graph.nodes) {
      auto known = [&](GraphNode* need) { return place.contains(need); };
      if (place.contains(node.get()) || !std::all_of(node->needs.begin(), node->needs.end(), known)) continue;
      place[node.get()] = plan->steps.size();
      Plan::Step step{node->type, node->kind, node->name, node->body, {}};
      for (GraphNode* need : node->needs) step.needs.push_back(place[need]);
      plan->steps.push_back(std::move(step));
    }
    if (plan->steps.size() == before) return nullptr;
  }
  return plan;
}

void run_plan(Pe& pe, std::shared_ptr<const Plan> plan, const CommandRef& whole) {
  device::Machine& machine = pe.world.machine;
  if (plan->steps.empty()) return machine.finish(whole);
  auto last = std::make_shared<device::Command>();
  last->missing = static_cast<int>(plan->steps.size());
  last->start = [&machine, whole] { machine.finish(whole); };
  std::vector<CommandRef> commands, first;
  for (const Plan::Step& step : plan->steps) {
    auto command = std::make_shared<device::Command>();
    command->kind = step.kind;
    command->name = step.name;
    command->pe = pe.id;
    command->stream = whole->stream;
    command->submitted = command->begun = whole->begun;
    command->missing = static_cast<int>(step.needs.size());
    command->start = [plan, &body = step.body, weak = std::weak_ptr(command)] { body(weak.lock()); };
    for (size_t need : step.needs) commands[need]->dependents.push_back(command);
    command->dependents.push_back(last);
    if (step.needs.empty()) first.push_back(command);
    commands.push_back(std::move(command));
  }
  for (const CommandRef& command : first) {
    auto start = command->start;  // the command forgets it when it finishes
    start();
  }
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* out, unsigned flags) {
  if (!out || flags) return remember(cudaErrorInvalidValue);
  *out = give_graph(*g_current.pe, std::make_shared<Graph>());
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return kept<Graphs>(*g_current.pe).graphs.erase(graph) ? cudaSuccess : remember(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count,
                                   const cudaKernelNodeParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return add_by_hand(out, graph, needs, count, [&](HandMade& scope) {
    std::vector<void*> unpacked;
    void** arguments = p->kernelParams;
    if (p->extra) {
      auto kernel = kernel_of(*g_current.pe, p->func);
      if (!kernel) return remember(cudaErrorInvalidDeviceFunction);
      if (arguments) return remember(cudaErrorInvalidValue);
      if (cudaError_t e = unpack_arguments(*kernel, p->extra, unpacked)) return remember(e);
      arguments = unpacked.data();
    }
    return launch_compiled(p->func, p->gridDim, p->blockDim, arguments, p->sharedMemBytes, scope.stream(),
                           LaunchKind::plain);
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  uint64_t site = SHMEMU_SITE();
  return add_by_hand(out, graph, needs, count, [&](HandMade& scope) {
    if (!bytes) return remember(cudaErrorInvalidValue);
    if (cudaError_t e = check_direction(to, from, kind)) return e;
    return copy_rows(to, bytes, from, bytes, bytes, 1, scope.stream(), false, site);
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count,
                                   const cudaMemsetParams* p) {
  uint64_t site = SHMEMU_SITE();
  bool good = p && p->width && p->height && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
  if (!good) return remember(cudaErrorInvalidValue);
  return add_by_hand(out, graph, needs, count, [&](HandMade& scope) {
    size_t pitch = p->height > 1 ? p->pitch : p->width * p->elementSize;
    return fill_elements(p->dst, pitch, p->value, p->elementSize, p->width, p->height, scope.stream(), false, site);
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count,
                                 const cudaHostNodeParams* p) {
  if (!p || !p->fn) return remember(cudaErrorInvalidValue);
  return add_by_hand(out, graph, needs, count,
                     [&](HandMade& scope) { return cudaLaunchHostFunc(scope.stream(), p->fn, p->userData); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count) {
  return add_by_hand(out, graph, needs, count, [&](HandMade& scope) { return scope.add_empty(), cudaSuccess; });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t count) {
  auto graph = find_graph(handle);
  if (!graph || (count && (!from || !to))) return remember(cudaErrorInvalidValue);
  std::vector<std::pair<GraphNode*, GraphNode*>> edges;
  for (size_t i = 0; i < count; ++i) {
    auto* first = reinterpret_cast<GraphNode*>(from[i]);
    auto* then = reinterpret_cast<GraphNode*>(to[i]);
    bool good = first != then && graph->has(first) && graph->has(then) &&
                std::find(then->needs.begin(), then->needs.end(), first) == then->needs.end() &&
                std::find(edges.begin(), edges.end(), std::pair(first, then)) == edges.end();
    if (!good) return remember(cudaErrorInvalidValue);
    edges.emplace_back(first, then);
  }
  for (auto [first, then] : edges) then->needs.push_back(first);
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  auto graph = find_graph(handle);
  if (!graph || !count) return remember(cudaErrorInvalidValue);
  size_t all = graph->nodes.size();
  if (!nodes) {
    *count = all;
    return cudaSuccess;
  }
  for (size_t i = 0; i < *count; ++i)
    nodes[i] = i < all ? reinterpret_cast<cudaGraphNode_t>(graph->nodes[i].get()) : nullptr;
  *count = std::min(*count, all);
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
  if (!type) return remember(cudaErrorInvalidValue);
  auto* node = reinterpret_cast<GraphNode*>(handle);
  for (auto& [key, graph] : kept<Graphs>(*g_current.pe).graphs)
    if (graph->has(node)) {
      *type = node->type;
      return cudaSuccess;
    }
  return remember(cudaErrorInvalidValue);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long flags) {
  return instantiate(out, graph, flags);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long flags) {
  return instantiate(out, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  if (!find_executable(handle)) return remember(cudaErrorInvalidValue);
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(stream_handle, stream)) return e;
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  auto executable = find_executable(handle);
  if (!executable) return remember(cudaErrorInvalidValue);
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(stream_handle, stream)) return e;
  Pe& pe = *g_current.pe;
  if (capture_of(pe, *stream)) return forbidden_in_any_capture();  // as an H200 answers
  executable->last = enqueue(*stream, OpKind::host_work, "graph", pe.world.platform.gpu.launch_latency,
                             [&pe, plan = executable->plan](const CommandRef& whole) { run_plan(pe, plan, whole); },
                             {executable->last});
  charge(pe.world.platform.host.launch_call);
  return cudaSuccess;
}

// The new graph must have the old one's shape.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph_handle, cudaGraphExecUpdateResultInfo* info) {
  auto executable = find_executable(handle);
  auto graph = find_graph(graph_handle);
  if (!executable || !graph || !info) return remember(cudaErrorInvalidValue);
  *info = {};
  auto plan = plan_of(*graph);
  auto fail_with = [&](cudaGraphExecUpdateResult why) {
    info->result = why;
    return remember(cudaErrorGraphExecUpdateFailure);
  };
  if (!plan || plan->steps.size() != executable->plan->steps.size())
    return fail_with(cudaGraphExecUpdateErrorTopologyChanged);
  for (size_t i = 0; i < plan->steps.size(); ++i) {
    if (plan->steps[i].needs != executable->plan->steps[i].needs)
      return fail_with(cudaGraphExecUpdateErrorTopologyChanged);
    if (plan->steps[i].type != executable->plan->steps[i].type)
      return fail_with(cudaGraphExecUpdateErrorNodeTypeChanged);
  }
  executable->plan = std::move(plan);
  charge(g_current.world->platform.host.api_call * static_cast<int64_t>(1 + executable->plan->steps.size()));
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return kept<Graphs>(*g_current.pe).executables.erase(handle) ? cudaSuccess : remember(cudaErrorInvalidValue);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
  auto graph = find_graph(handle);
  if (!graph || !path) return remember(cudaErrorInvalidValue);
  std::ofstream out(path);
  if (!out) return remember(cudaErrorOperatingSystem);
  std::map<const GraphNode*, size_t> number;
  out << "digraph graph_0 {\n";
  for (auto& node : graph->nodes) {
    size_t n = number[node.get()] = number.size();
    out << "  node_" << n << " [label=\"" << n << " " << node->name << "\"];\n";
  }
  for (auto& node : graph->nodes)
    for (const GraphNode* need : node->needs)
      out << "  node_" << number[need] << " -> node_" << number[node.get()] << ";\n";
  out << "}\n";
  return out.good() ? cudaSuccess : remember(cudaErrorOperatingSystem);
}

}  // extern "C"
