// Misuse and the code it gives. The table was compared with an H200.
#include "check.hpp"

__global__ void kernel(int* p) { *p = 1; }
__global__ void __launch_bounds__(128) bounded(int* p) { *p = 1; }

int main() {
  GIVES(cudaErrorInvalidDevice, cudaSetDevice(-1));
  GIVES(cudaErrorInvalidDevice, cudaSetDevice(4096));
  GIVES(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr));
  cudaDeviceProp p;
  int value;
  GIVES(cudaErrorInvalidValue, cudaGetDeviceProperties(nullptr, 0));
  GIVES(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 4096));
  GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  GIVES(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 4096));
  GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
  GIVES(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&value, 0, 4096));
  GIVES(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
  GIVES(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(4096, 0));
  GIVES(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
  char id[8];
  GIVES(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(id, 8, 0));
  GIVES(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&value, "zz"));
  GIVES(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&value, "0000:fe:00.0"));
  GIVES(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 3));
  GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit((cudaLimit)99, 3));
  GIVES(cudaErrorInvalidValue, cudaDeviceSetCacheConfig((cudaFuncCache)9));
  GIVES(cudaErrorInvalidValue, cudaSetDeviceFlags(0x7));
  GIVES(cudaErrorInvalidValue, cudaSetDeviceFlags(0x1000));

  // memory
  char *d, *e, host[4096], host2[4096];
  WORKS(cudaMalloc(&d, 4096));
  WORKS(cudaMalloc(&e, 4096));
  void* q = d;
  GIVES(cudaErrorInvalidValue, cudaMalloc((void**)nullptr, 1));
  WORKS(cudaMalloc(&q, 0));
  CHECK(q == nullptr);
  GIVES(cudaErrorMemoryAllocation, cudaMalloc(&q, size_t{1} << 45));
  WORKS(cudaFree(nullptr));
  GIVES(cudaErrorInvalidValue, cudaFree(d + 16));
  GIVES(cudaErrorInvalidValue, cudaFree(host));
  GIVES(cudaErrorInvalidValue, cudaFree((void*)0x10));
  GIVES(cudaErrorInvalidValue, cudaFreeHost(host));
  GIVES(cudaErrorInvalidValue, cudaFreeHost(d));
  WORKS(cudaMemcpy(d, host, 4096, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(d, host, 4097, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(d, host, 4096, cudaMemcpyDeviceToHost));
  WORKS(cudaMemcpy(d, e, 4096, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(host, host2, 16, cudaMemcpyDeviceToDevice));
  WORKS(cudaMemcpy(host, d, 16, cudaMemcpyHostToHost));
  GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(d, host, 16, (cudaMemcpyKind)9));
  GIVES(cudaErrorInvalidValue, cudaMemcpy((void*)nullptr, host, 16, cudaMemcpyDefault));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(d, nullptr, 16, cudaMemcpyHostToDevice));
  WORKS(cudaMemcpy(d, nullptr, 0, cudaMemcpyHostToDevice));
  WORKS(cudaMemcpy(host, host2, 16, cudaMemcpyDefault));
  GIVES(cudaErrorInvalidValue, cudaMemset(d, 0, 4097));
  GIVES(cudaErrorInvalidValue, cudaMemset(host, 0, 16));
  GIVES(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 16));
  WORKS(cudaMemset(nullptr, 0, 0));
  GIVES(cudaErrorInvalidDevice, cudaMemcpyPeer(d, 0, e, 4096, 16));
  GIVES(cudaErrorInvalidValue, cudaMemcpyPeer(host, 0, e, 0, 16));
  cudaIpcMemHandle_t handle;
  GIVES(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, host));
  WORKS(cudaIpcGetMemHandle(&handle, d));
  GIVES(cudaErrorDeviceUninitialized, cudaIpcOpenMemHandle(&q, handle, cudaIpcMemLazyEnablePeerAccess));
  GIVES(cudaErrorInvalidValue, cudaIpcCloseMemHandle(d));
  memset(&handle, 3, sizeof handle);
  GIVES(cudaErrorInvalidValue, cudaIpcOpenMemHandle(&q, handle, cudaIpcMemLazyEnablePeerAccess));

  // streams and events
  cudaStream_t stream;
  cudaEvent_t event, other, silent;
  GIVES(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
  GIVES(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 7));
  GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(0));
  WORKS(cudaStreamCreate(&stream));
  GIVES(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, 0x100));
  GIVES(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, cudaEventInterprocess));
  WORKS(cudaEventCreate(&event));
  WORKS(cudaEventCreate(&other));
  WORKS(cudaEventCreateWithFlags(&silent, cudaEventDisableTiming));
  float ms;
  GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, other));
  WORKS(cudaEventRecord(event, stream));
  GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, other));
  WORKS(cudaEventRecord(silent, stream));
  WORKS(cudaStreamSynchronize(stream));
  GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, silent));
  GIVES(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, event, event));
  GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr, stream));
  GIVES(cudaErrorInvalidResourceHandle, cudaEventQuery(nullptr));
  GIVES(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(stream, nullptr));
  GIVES(cudaErrorInvalidValue, cudaStreamWaitEvent(stream, event, 5));
  GIVES(cudaErrorInvalidValue, cudaEventRecordWithFlags(event, stream, 5));
  GIVES(cudaErrorIllegalState, cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
  GIVES(cudaErrorIllegalState, cudaStreamWaitEvent(stream, event, cudaEventWaitExternal));
  GIVES(cudaErrorInvalidResourceHandle, cudaEventDestroy(nullptr));
  GIVES(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, nullptr, nullptr));
  GIVES(cudaErrorInvalidValue, cudaStreamAddCallback(stream, nullptr, nullptr, 0));

  // launches
  int* word = (int*)d;
  void* arguments[] = {&word};
  auto launch = [&](void (*f)(int*), dim3 grid, dim3 block, size_t shared) {
    return cudaLaunchKernel((const void*)f, grid, block, arguments, shared, stream);
  };
  WORKS(launch(kernel, dim3(1), dim3(1), 0));
#ifdef __SHMEMU__  // CUDA 12: cudaErrorInvalidConfiguration, CUDA 13: cudaErrorInvalidValue
  GIVES(cudaErrorInvalidConfiguration, launch(kernel, dim3(0), dim3(1), 0));
  GIVES(cudaErrorInvalidConfiguration, launch(kernel, dim3(1), dim3(0), 0));
  GIVES(cudaErrorInvalidConfiguration, launch(kernel, dim3(1), dim3(1025), 0));
  GIVES(cudaErrorInvalidConfiguration, launch(kernel, dim3(1), dim3(1, 1, 65), 0));
  GIVES(cudaErrorInvalidConfiguration, launch(kernel, dim3(1, 65536), dim3(1), 0));
  GIVES(cudaErrorInvalidConfiguration, launch(bounded, dim3(1), dim3(129), 0));
  GIVES(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void*)main, dim3(1), dim3(1), arguments, 0, stream));
#else
  GIVES(cudaErrorInvalidValue, launch(bounded, dim3(1), dim3(129), 0));
#endif
  GIVES(cudaErrorInvalidValue, launch(kernel, dim3(1), dim3(1), 49153));
  GIVES(cudaErrorCooperativeLaunchTooLarge,
        cudaLaunchCooperativeKernel((const void*)kernel, dim3(132 * 64), dim3(32), arguments, 0, stream));
  int devices = 0;
  WORKS(cudaGetDeviceCount(&devices));
  if (devices > 1) {  // a kernel runs on the device of its stream only
    cudaStream_t elsewhere;
    WORKS(cudaSetDevice(1));
    WORKS(cudaStreamCreate(&elsewhere));
    WORKS(cudaSetDevice(0));
    GIVES(cudaErrorInvalidResourceHandle,
          cudaLaunchKernel((const void*)kernel, dim3(1), dim3(1), arguments, 0, elsewhere));
    WORKS(cudaMemsetAsync(d, 0, 4, elsewhere));
    WORKS(cudaStreamSynchronize(elsewhere));
  }

  // the last error is remembered once
  cudaMalloc((void**)nullptr, 1);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(strcmp(cudaGetErrorName(cudaErrorLaunchOutOfResources), "cudaErrorLaunchOutOfResources") == 0);
  CHECK(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
  CHECK(strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code") == 0);
  const char* text = "x";
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
  CHECK(text == nullptr);
  return finish();
}
