// What a program may not do while a stream is captured, and what that makes of the capture. As an H200 answers.
#include "check.hpp"

__global__ void add(int* p) { *p += 1; }

int* device;
cudaStream_t captured, other, blocking;
cudaEvent_t event, second, before;

// Captures one kernel and `call`; then the capture must end so.
template <class F>
void during(cudaStreamCaptureMode mode, cudaError_t end, F call) {
  cudaGraph_t graph = nullptr;
  WORKS(cudaStreamBeginCapture(captured, mode));
  add<<<1, 1, 0, captured>>>(device);
  call();
  GIVES(end, cudaStreamEndCapture(captured, &graph));
  CHECK((graph != nullptr) == (end == cudaSuccess));
  if (graph) WORKS(cudaGraphDestroy(graph));
}

int main() {
  constexpr auto kGlobal = cudaStreamCaptureModeGlobal, kLocal = cudaStreamCaptureModeThreadLocal,
                 kRelaxed = cudaStreamCaptureModeRelaxed;
  constexpr auto kDead = cudaErrorStreamCaptureInvalidated, kForbidden = cudaErrorStreamCaptureUnsupported;
  WORKS(cudaMalloc(&device, 64));
  WORKS(cudaMemset(device, 0, 64));
  WORKS(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking));
  WORKS(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  WORKS(cudaStreamCreate(&blocking));
  for (cudaEvent_t* e : {&event, &second, &before}) WORKS(cudaEventCreate(e));
  WORKS(cudaEventRecord(before, other));
  char host[64] = {};
  void* p = nullptr;
  cudaGraph_t graph = nullptr;

  cudaGraphExec_t empty;
  WORKS(cudaGraphCreate(&graph, 0));
  WORKS(cudaGraphInstantiate(&empty, graph, 0));

  GIVES(cudaErrorIllegalState, cudaStreamEndCapture(captured, &graph));
  GIVES(kForbidden, cudaStreamBeginCapture(0, kGlobal));
  GIVES(cudaErrorInvalidValue, cudaStreamBeginCapture(captured, (cudaStreamCaptureMode)9));
  during(kGlobal, cudaSuccess, [&] { GIVES(cudaErrorIllegalState, cudaStreamBeginCapture(captured, kGlobal)); });

  // waiting and asking
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaStreamSynchronize(captured)); });
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaStreamQuery(captured)); });
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaStreamSynchronize(other)); });
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaStreamQuery(other)); });
  during(kRelaxed, cudaSuccess, [&] { WORKS(cudaStreamSynchronize(other)); });
  for (auto mode : {kGlobal, kLocal, kRelaxed}) during(mode, kDead, [&] { GIVES(kForbidden, cudaDeviceSynchronize()); });
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaEventQuery(before)); });
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaEventSynchronize(before)); });
  during(kGlobal, kDead, [&] {
    WORKS(cudaEventRecord(event, captured));
    GIVES(cudaErrorCapturedEvent, cudaEventQuery(event));
  });
  during(kGlobal, cudaSuccess, [&] {
    float ms;
    WORKS(cudaEventRecord(event, captured));
    GIVES(cudaErrorCapturedEvent, cudaEventElapsedTime(&ms, before, event));
  });

  // memory
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaMalloc(&p, 64)); });
  during(kLocal, kDead, [&] { GIVES(kForbidden, cudaMalloc(&p, 64)); });
  during(kRelaxed, cudaSuccess, [&] { WORKS(cudaMalloc(&p, 64)); });
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaFree(nullptr)); });
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaMallocHost(&p, 64)); });
  during(kGlobal, cudaSuccess, [&] { WORKS(cudaMemcpyAsync(device, host, 64, cudaMemcpyHostToDevice, captured)); });
  during(kGlobal, cudaSuccess, [&] { WORKS(cudaMemcpyAsync(host, device, 64, cudaMemcpyDeviceToHost, captured)); });

  // other streams go on as usual; the legacy default stream does as long as it need not wait for the captured one
  during(kGlobal, cudaSuccess, [&] {
    add<<<1, 1, 0, other>>>(device);
    add<<<1, 1, 0, blocking>>>(device);
    add<<<1, 1>>>(device);
    WORKS(cudaGetLastError());
    WORKS(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    WORKS(cudaEventCreate(&second));
  });
  WORKS(cudaStreamBeginCapture(blocking, kGlobal));
  add<<<1, 1>>>(device);
  GIVES(cudaErrorStreamCaptureImplicit, cudaGetLastError());
  GIVES(kDead, cudaStreamEndCapture(blocking, &graph));
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaStreamAddCallback(captured, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0)); });

  // dependencies across the border of a capture
  during(kGlobal, kDead, [&] { GIVES(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(captured, before)); });
  during(kGlobal, cudaSuccess, [&] { WORKS(cudaStreamWaitEvent(captured, second)); });  // never recorded
  during(kGlobal, kDead, [&] {
    WORKS(cudaEventRecord(event, captured));
    GIVES(cudaErrorStreamCaptureImplicit, cudaStreamWaitEvent(0, event));
  });
  during(kGlobal, cudaErrorStreamCaptureUnjoined, [&] {
    WORKS(cudaEventRecord(event, captured));
    WORKS(cudaStreamWaitEvent(other, event));
    add<<<1, 1, 0, other>>>(device);
  });
  during(kGlobal, cudaSuccess, [&] {  // a branch without work of its own is no loose end
    WORKS(cudaEventRecord(event, captured));
    WORKS(cudaStreamWaitEvent(other, event));
  });
  during(kGlobal, kDead, [&] {
    WORKS(cudaEventRecord(event, captured));
    WORKS(cudaStreamWaitEvent(other, event));
    GIVES(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &graph));
  });
  during(kGlobal, kDead, [&] {
    WORKS(cudaStreamBeginCapture(other, kGlobal));
    WORKS(cudaEventRecord(event, other));
    GIVES(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(captured, event));
  });
  GIVES(kDead, cudaStreamEndCapture(other, &graph));
  during(kGlobal, kDead, [&] { GIVES(kForbidden, cudaGraphLaunch(empty, captured)); });

  // a dead capture refuses work; a destroyed stream takes its capture along
  during(kGlobal, kDead, [&] {
    GIVES(kForbidden, cudaStreamSynchronize(captured));
    add<<<1, 1, 0, captured>>>(device);
    GIVES(kDead, cudaGetLastError());
  });
  WORKS(cudaStreamBeginCapture(captured, kGlobal));
  WORKS(cudaStreamDestroy(captured));
  WORKS(cudaDeviceSynchronize());

  cudaStreamCaptureMode mode = kRelaxed;
  WORKS(cudaThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == kGlobal);
  WORKS(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking));
  during(kGlobal, cudaSuccess, [&] { WORKS(cudaMalloc(&p, 64)); });
  int ran = 0;
  WORKS(cudaMemcpy(&ran, device, sizeof ran, cudaMemcpyDeviceToHost));
  CHECK(ran == 3);  // only what was launched outside of captures
  return finish();
}
