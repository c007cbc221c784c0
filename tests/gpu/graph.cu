// A captured stream (kernel, put, barrier, copy, and a second stream that joins by events) is launched as a graph.
#include "check.hpp"

__global__ void raise(int* value, int by) { *value += by; }

int main() {
  constexpr int kRounds = 3;
  int me = start(), n = nvshmem_n_pes();
  auto* value = static_cast<int*>(nvshmem_calloc(2, sizeof(int)));
  int* seen = nullptr;
  CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&seen), sizeof(int)));
  cudaStream_t stream, side;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  cudaEvent_t fork, join;
  CHECK_CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK_CUDA(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK_CUDA(cudaEventRecord(fork, stream));
  CHECK_CUDA(cudaStreamWaitEvent(side, fork, 0));
  raise<<<1, 1, 0, side>>>(value, me + 1);
  CHECK_CUDA(cudaEventRecord(join, side));
  CHECK_CUDA(cudaStreamWaitEvent(stream, join, 0));
  nvshmemx_int_put_on_stream(value + 1, value, 1, (me + 1) % n, stream);
  nvshmemx_barrier_all_on_stream(stream);
  CHECK_CUDA(cudaMemcpyAsync(seen, value + 1, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (int round = 1; round <= kRounds; ++round) {
    CHECK_CUDA(cudaGraphLaunch(executable, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    int left = (me + n - 1) % n + 1;
    if (*seen != left * round) return std::printf("PE %d: %d after round %d\n", me, *seen, round), 1;
    nvshmem_barrier_all();
  }
  CHECK_CUDA(cudaGraphExecDestroy(executable));
  CHECK_CUDA(cudaGraphDestroy(graph));
  if (me == 0) std::printf("graph ok\n");
  nvshmem_finalize();
  return 0;
}
