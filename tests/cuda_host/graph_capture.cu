// Streams captured into graphs: nothing runs during capture, replays run in dependency order and as often as asked.
#include <string>

#include "check.hpp"

__global__ void add(int* p, int value) { *p += value; }
__global__ void twice(int* p) { *p *= 2; }
__global__ void slow_add(int* p, int value, long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {
  }
  atomicAdd(p, value);
}

int host_calls = 0;
void host_call(void*) { ++host_calls; }

size_t node_count(cudaGraph_t g) {
  size_t n = 0;
  WORKS(cudaGraphGetNodes(g, nullptr, &n));
  return n;
}

int main() {
  int *device, *pinned;
  WORKS(cudaMalloc(&device, 2 * sizeof(int)));
  WORKS(cudaMallocHost(&pinned, 2 * sizeof(int)));
  WORKS(cudaMemset(device, 0, 2 * sizeof(int)));
  cudaStream_t a, b, c;
  for (cudaStream_t* s : {&a, &b, &c}) WORKS(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));

  // a chain with a copy each way, whose source and target are looked at when the graph runs
  cudaGraph_t chain;
  cudaGraphExec_t run_chain;
  cudaStreamCaptureStatus status;
  int pageable_in = 5, pageable_out = -1;
  WORKS(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  WORKS(cudaStreamIsCapturing(a, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  WORKS(cudaMemcpyAsync(device, &pageable_in, sizeof(int), cudaMemcpyHostToDevice, a));
  add<<<1, 1, 0, a>>>(device, 3);
  twice<<<1, 1, 0, a>>>(device);
  WORKS(cudaMemcpyAsync(&pageable_out, device, sizeof(int), cudaMemcpyDeviceToHost, a));
  WORKS(cudaLaunchHostFunc(a, host_call, nullptr));
  WORKS(cudaStreamEndCapture(a, &chain));
  WORKS(cudaStreamIsCapturing(a, &status));
  CHECK(status == cudaStreamCaptureStatusNone);
  CHECK(node_count(chain) == 5);
  WORKS(cudaDeviceSynchronize());
  CHECK(pageable_out == -1 && host_calls == 0);
  WORKS(cudaGraphInstantiate(&run_chain, chain, 0));
  WORKS(cudaGraphLaunch(run_chain, b));
  WORKS(cudaStreamSynchronize(b));
  CHECK(pageable_out == 16 && host_calls == 1);
  pageable_in = 10;
  for (int i = 0; i < 3; ++i) WORKS(cudaGraphLaunch(run_chain, i % 2 ? a : b));  // one after the other, whatever the stream
  WORKS(cudaDeviceSynchronize());
  CHECK(pageable_out == 26 && host_calls == 4);

  // a fork and a join: the last kernel sees both branches, and the branches run at the same time
  cudaEvent_t forked, joined, start, stop;
  for (cudaEvent_t* e : {&forked, &joined, &start, &stop}) WORKS(cudaEventCreate(e));
  constexpr long long kLong = 400000;
  cudaGraph_t fork;
  cudaGraphExec_t run_fork;
  WORKS(cudaMemset(device, 0, 2 * sizeof(int)));
  WORKS(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
  WORKS(cudaMemsetAsync(device, 0, sizeof(int), a));
  WORKS(cudaEventRecord(forked, a));
  WORKS(cudaStreamWaitEvent(b, forked));
  slow_add<<<1, 1, 0, a>>>(device, 1, kLong);
  slow_add<<<1, 1, 0, b>>>(device, 10, kLong);
  WORKS(cudaEventRecord(joined, b));
  WORKS(cudaStreamWaitEvent(a, joined));
  twice<<<1, 1, 0, a>>>(device);
  WORKS(cudaStreamEndCapture(a, &fork));
  CHECK(node_count(fork) == 4);
  cudaGraphNode_t nodes[8];
  size_t n = 8;
  WORKS(cudaGraphGetNodes(fork, nodes, &n));
  int kernels = 0, fills = 0;
  for (size_t i = 0; i < n; ++i) {
    cudaGraphNodeType type;
    WORKS(cudaGraphNodeGetType(nodes[i], &type));
    kernels += type == cudaGraphNodeTypeKernel;
    fills += type == cudaGraphNodeTypeMemset;
  }
  CHECK(n == 4 && kernels == 3 && fills == 1);
  WORKS(cudaGraphInstantiate(&run_fork, fork, 0));
  WORKS(cudaGraphUpload(run_fork, c));
  WORKS(cudaEventRecord(start, c));
  WORKS(cudaGraphLaunch(run_fork, c));
  WORKS(cudaEventRecord(stop, c));
  WORKS(cudaMemcpyAsync(pinned, device, sizeof(int), cudaMemcpyDeviceToHost, c));
  WORKS(cudaStreamSynchronize(c));
  CHECK(*pinned == 22);
  float ms = 0;
  WORKS(cudaEventElapsedTime(&ms, start, stop));
  CHECK(ms > 0.15f && ms < 0.38f);  // one slow kernel takes 0.2 ms

  // the executable outlives the graph and may be destroyed while it runs
  WORKS(cudaGraphDestroy(fork));
  WORKS(cudaGraphLaunch(run_fork, a));
  WORKS(cudaGraphExecDestroy(run_fork));
  WORKS(cudaStreamSynchronize(a));
  WORKS(cudaMemcpy(pinned, device, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(*pinned == 22);

  // an event recorded each time the graph runs
  cudaGraph_t timed;
  cudaGraphExec_t run_timed;
  WORKS(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  WORKS(cudaEventRecordWithFlags(start, a, cudaEventRecordExternal));
  slow_add<<<1, 1, 0, a>>>(device, 1, kLong);
  WORKS(cudaEventRecordWithFlags(stop, a, cudaEventRecordExternal));
  WORKS(cudaStreamEndCapture(a, &timed));
  WORKS(cudaGraphInstantiate(&run_timed, timed, 0));
  WORKS(cudaGraphLaunch(run_timed, a));
  WORKS(cudaStreamSynchronize(a));
  WORKS(cudaEventElapsedTime(&ms, start, stop));
  CHECK(ms > 0.15f && ms < 10);

  // an update to a graph of the same shape
  cudaGraph_t other;
  WORKS(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  WORKS(cudaMemcpyAsync(device, &pageable_in, sizeof(int), cudaMemcpyHostToDevice, a));
  add<<<1, 1, 0, a>>>(device, 7);
  twice<<<1, 1, 0, a>>>(device);
  WORKS(cudaMemcpyAsync(&pageable_out, device, sizeof(int), cudaMemcpyDeviceToHost, a));
  WORKS(cudaLaunchHostFunc(a, host_call, nullptr));
  WORKS(cudaStreamEndCapture(a, &other));
  cudaGraphExecUpdateResultInfo info;
  WORKS(cudaGraphExecUpdate(run_chain, other, &info));
  CHECK(info.result == cudaGraphExecUpdateSuccess);
  WORKS(cudaGraphLaunch(run_chain, a));
  WORKS(cudaStreamSynchronize(a));
  CHECK(pageable_out == 34);
  GIVES(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(run_chain, timed, &info));
  CHECK(info.result != cudaGraphExecUpdateSuccess);
  return finish();
}
