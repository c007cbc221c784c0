// Stream capture and graphs: while a stream is captured, `enqueue` makes nodes instead of commands. A graph is replayed
// as one command of a stream, whose nodes start when those before them have ended.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "emu/cuda/runtime_state.hpp"

namespace shmemu::emu {

struct GraphNode {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  OpKind kind = OpKind::host_work;
  std::string name;
  CommandBody body;
  std::vector<GraphNode*> needs;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;  // in order of creation
  bool has(const GraphNode* node) const;
};

struct Capture {
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool invalidated = false;
  device::Stream* origin = nullptr;
  std::shared_ptr<Graph> graph;
  std::map<device::Stream*, std::vector<GraphNode*>> tips;  // of each stream that takes part: what its next node needs
};

// Of one PE.
struct Captures {
  std::vector<std::shared_ptr<Capture>> active;
  cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;
  unsigned long long next_id = 1;
  struct EventPoint {
    std::weak_ptr<Capture> capture;
    std::vector<GraphNode*> nodes;
  };
  std::map<const Event*, EventPoint> events;  // events last recorded in a captured stream
};

std::shared_ptr<Capture> capture_of(Pe& pe, device::Stream& stream);
GraphNode& add_node(Capture& capture, device::Stream& stream, OpKind kind, std::string name, CommandBody body);
// Ends the part of a stream that is destroyed.
void forget_stream(Pe& pe, device::Stream& stream);

// Events of captured streams. Each says in `done` whether it was its business.
cudaError_t record_in_capture(Pe& pe, Event& event, device::Stream& stream, bool& done);
cudaError_t wait_in_capture(Pe& pe, Event& event, device::Stream& stream, bool& done);
// For calls that look at an event: an error if it belongs to a capture.
cudaError_t check_not_captured(Pe& pe, const Event& event);

// The nodes of a graph at the time of its instantiation.
struct Plan {
  struct Step {
    cudaGraphNodeType type;
    OpKind kind;
    std::string name;
    CommandBody body;
    std::vector<size_t> needs;  // earlier steps
  };
  std::vector<Step> steps;
};
// Hands a finished graph to the program.
cudaGraph_t give_graph(Pe& pe, std::shared_ptr<Graph> graph);

// Absent when the dependencies form a circle.
std::shared_ptr<const Plan> plan_of(const Graph& graph);
// Runs the steps in the name of `whole`, which ends with the last of them.
void run_plan(Pe& pe, std::shared_ptr<const Plan> plan, const device::CommandRef& whole);

}  // namespace shmemu::emu
