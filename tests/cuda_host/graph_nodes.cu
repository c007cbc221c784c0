// Graphs built node by node.
#include "check.hpp"

__global__ void add(int* p, int value) { atomicAdd(p, value); }
__global__ void twice(int* p) { *p *= 2; }

int seen_by_host = 0;
void look(void* p) { seen_by_host = *static_cast<int*>(p); }

cudaError_t depend(cudaGraph_t g, cudaGraphNode_t first, cudaGraphNode_t then) {
#if CUDART_VERSION < 13000
  return cudaGraphAddDependencies(g, &first, &then, 1);
#else
  return cudaGraphAddDependencies(g, &first, &then, nullptr, 1);
#endif
}

int main() {
  int* device;
  int host = 0, five = 5;
  WORKS(cudaMalloc(&device, 4 * sizeof(int)));
  cudaGraph_t g;
  WORKS(cudaGraphCreate(&g, 0));
  GIVES(cudaErrorInvalidValue, cudaGraphCreate(&g, 1));

  // clear, then two additions in any order, then twice, then the copy and the host's look
  cudaMemsetParams clear = {};
  clear.dst = device;
  clear.elementSize = 4;
  clear.width = 4;
  clear.height = 1;
  clear.value = 100;
  cudaGraphNode_t cleared, added[2], doubled, copied, looked, empty;
  WORKS(cudaGraphAddMemsetNode(&cleared, g, nullptr, 0, &clear));
  void* add_arguments[] = {&device, &five};
  cudaKernelNodeParams k = {};
  k.func = (void*)add;
  k.gridDim = dim3(1);
  k.blockDim = dim3(1);
  k.kernelParams = add_arguments;
  WORKS(cudaGraphAddKernelNode(&added[0], g, &cleared, 1, &k));
  five = 6;  // the first node has taken its arguments
  WORKS(cudaGraphAddKernelNode(&added[1], g, &cleared, 1, &k));
  WORKS(cudaGraphAddEmptyNode(&empty, g, added, 2));
  k.func = (void*)twice;
  WORKS(cudaGraphAddKernelNode(&doubled, g, nullptr, 0, &k));
  WORKS(depend(g, empty, doubled));
  WORKS(cudaGraphAddMemcpyNode1D(&copied, g, &doubled, 1, &host, device, sizeof(int), cudaMemcpyDeviceToHost));
  cudaHostNodeParams h = {look, &host};
  WORKS(cudaGraphAddHostNode(&looked, g, &copied, 1, &h));
  size_t n = 0;
  WORKS(cudaGraphGetNodes(g, nullptr, &n));
  CHECK(n == 7);
  cudaGraphNodeType type;
  WORKS(cudaGraphNodeGetType(empty, &type));
  CHECK(type == cudaGraphNodeTypeEmpty);
  WORKS(cudaGraphNodeGetType(looked, &type));
  CHECK(type == cudaGraphNodeTypeHost);

  cudaGraphExec_t run;
  WORKS(cudaGraphInstantiate(&run, g, 0));
  WORKS(cudaGraphLaunch(run, 0));
  WORKS(cudaDeviceSynchronize());
  CHECK(host == 222 && seen_by_host == 222);
  WORKS(cudaGraphLaunch(run, 0));
  WORKS(cudaDeviceSynchronize());
  CHECK(host == 222);

  // misuse
  cudaGraphNode_t node, same[2] = {added[0], added[0]}, none[1] = {nullptr};
  GIVES(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, g, same, 2, &k));
  GIVES(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, g, none, 1, &k));
  k.func = nullptr;
  GIVES(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&node, g, nullptr, 0, &k));
  GIVES(cudaErrorInvalidValue, cudaGraphAddMemcpyNode1D(&node, g, nullptr, 0, &host, device, 0, cudaMemcpyDeviceToHost));
  clear.elementSize = 3;
  GIVES(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&node, g, nullptr, 0, &clear));
  h.fn = nullptr;
  GIVES(cudaErrorInvalidValue, cudaGraphAddHostNode(&node, g, nullptr, 0, &h));
  GIVES(cudaErrorInvalidValue, depend(g, empty, doubled));  // already there
  GIVES(cudaErrorInvalidValue, depend(g, empty, empty));
  GIVES(cudaErrorInvalidValue, cudaGraphNodeGetType(nullptr, &type));
  GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&run, g, 0x100));
  GIVES(cudaErrorInvalidValue, cudaGraphLaunch(nullptr, 0));
  WORKS(depend(g, looked, cleared));  // a circle
  cudaGraphExec_t never;
  GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&never, g, 0));

  // no node at all
  cudaGraph_t nothing;
  cudaGraphExec_t run_nothing;
  WORKS(cudaGraphCreate(&nothing, 0));
  WORKS(cudaGraphInstantiate(&run_nothing, nothing, 0));
  WORKS(cudaGraphLaunch(run_nothing, 0));
  WORKS(cudaDeviceSynchronize());
  WORKS(cudaGraphExecDestroy(run_nothing));
  WORKS(cudaGraphExecDestroy(run));
  WORKS(cudaGraphDestroy(nothing));
  WORKS(cudaGraphDestroy(g));
  GIVES(cudaErrorInvalidValue, cudaGraphDestroy(nullptr));
  return finish();
}
