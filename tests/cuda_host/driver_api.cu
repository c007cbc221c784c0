// The driver API: initialisation, contexts, memory, modules and launches, beside the runtime API.
#include "check.hpp"

__device__ int table[4];
extern "C" __global__ void scale(int* p, int factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= factor;
}
__global__ void cooperative(int* p) { atomicAdd(p, 1); }

CUresult create_context(CUcontext* c) {
#if CUDA_VERSION < 13000
  return cuCtxCreate(c, 0, 0);
#else
  return cuCtxCreate(c, nullptr, 0, 0);
#endif
}

void contexts() {
  int n = 0;
  CUdevice device;
  DRIVER_GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&n));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuInit(1));
  DRIVER_WORKS(cuInit(0));
  DRIVER_WORKS(cuDeviceGetCount(&n));
  CHECK(n >= 1);
  DRIVER_GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 4096));
  DRIVER_WORKS(cuDeviceGet(&device, 0));
  char name[64];
  DRIVER_WORKS(cuDeviceGetName(name, 7, device));
  CHECK(strcmp(name, "NVIDIA") == 0);
  int major = 0, minor = 1;
  DRIVER_WORKS(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  DRIVER_WORKS(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  CHECK(major == 9 && minor == 0);
  size_t bytes = 0;
  DRIVER_WORKS(cuDeviceTotalMem(&bytes, device));
  CHECK(bytes > (size_t{100} << 30));

  CUcontext context, current;
  CUdeviceptr p;
  unsigned flags = 0;
  int active = -1;
  DRIVER_WORKS(cuCtxGetCurrent(&current));
  CHECK(current == nullptr);
  DRIVER_GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 64));
  DRIVER_GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
  DRIVER_WORKS(cuDevicePrimaryCtxGetState(device, &flags, &active));
  CHECK(active == 0);
  DRIVER_GIVES(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(device));
  DRIVER_WORKS(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER_WORKS(cuDevicePrimaryCtxGetState(device, &flags, &active));
  CHECK(active == 1);
  DRIVER_WORKS(cuCtxSetCurrent(context));
  DRIVER_WORKS(cuCtxPushCurrent(context));
  DRIVER_WORKS(cuCtxPopCurrent(&current));
  CHECK(current == context);
  DRIVER_WORKS(cuCtxPopCurrent(&current));
  DRIVER_GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&current));
  DRIVER_WORKS(cuCtxSetCurrent(context));
  CUcontext second;
  DRIVER_WORKS(create_context(&second));
  DRIVER_WORKS(cuCtxGetCurrent(&current));
  CHECK(current == second && second != context);
  DRIVER_WORKS(cuCtxDestroy(second));
  DRIVER_WORKS(cuCtxGetCurrent(&current));
  CHECK(current == context);
  unsigned version = 0;
  DRIVER_WORKS(cuCtxGetApiVersion(context, &version));
  CHECK(version == 3020);
}

void memory() {
  CUdeviceptr p, base;
  size_t size = 0;
  int host[4] = {1, 2, 3, 4}, back[4] = {};
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
  DRIVER_WORKS(cuMemAlloc(&p, 1024));
  DRIVER_WORKS(cuMemGetAddressRange(&base, &size, p + 100));
  CHECK(base == p && size == 1024);
  DRIVER_WORKS(cuMemcpyHtoD(p, host, sizeof host));
  DRIVER_WORKS(cuMemsetD32(p + 4, 0xabcd, 1));
  DRIVER_WORKS(cuMemsetD16(p + 8, 7, 1));
  DRIVER_WORKS(cuMemsetD8(p + 15, 1, 1));
  DRIVER_WORKS(cuMemcpyDtoH(back, p, sizeof back));
  CHECK(back[0] == 1 && back[1] == 0xabcd && back[2] == 7 && back[3] == (1 << 24) + 4);
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 2, 5, 4));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p, 5, 4000));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p, host, 16000));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(p + 8));

  unsigned type = 0, managed = 1;
  int ordinal = -1;
  DRIVER_WORKS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 8));
  CHECK(type == CU_MEMORYTYPE_DEVICE);
  DRIVER_WORKS(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 8));
  DRIVER_WORKS(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p + 8));
  CHECK(base == p && size == 1024);
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)host));
  CUpointer_attribute wanted[2] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* answers[2] = {&type, &ordinal};
  DRIVER_WORKS(cuPointerGetAttributes(2, wanted, answers, p));
  CHECK(type == CU_MEMORYTYPE_DEVICE && ordinal == 0);
  DRIVER_WORKS(cuPointerGetAttributes(2, wanted, answers, (CUdeviceptr)host));
  CHECK(type == 0 && ordinal == CU_DEVICE_INVALID);
  (void)managed;
  DRIVER_WORKS(cuMemFree(p));
  DRIVER_WORKS(cuMemFree(0));
}

void launches() {
  CUmodule module;
  CUfunction f, same;
  DRIVER_GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/nonexistent.cubin"));
  DRIVER_GIVES(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "garbage garbage"));
  WORKS(cudaGetFuncBySymbol(&f, (const void*)scale));
  const char* name = "";
  DRIVER_WORKS(cuFuncGetName(&name, f));
  CHECK(strcmp(name, "scale") == 0);
  DRIVER_WORKS(cuFuncGetModule(&module, f));
  DRIVER_WORKS(cuModuleGetFunction(&same, module, "scale"));
  CHECK(same == f);
  DRIVER_GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&same, module, "nothing"));
  CUdeviceptr variable;
  size_t size = 0;
  DRIVER_WORKS(cuModuleGetGlobal(&variable, &size, module, "table"));
  CHECK(size == sizeof table);
  DRIVER_WORKS(cuMemsetD32(variable, 3, 4));

  int factor = 5, n = 4, back[4] = {};
  void* arguments[] = {&variable, &factor, &n};
  CUstream stream;
  DRIVER_WORKS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER_WORKS(cuCtxSynchronize());
  DRIVER_WORKS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  struct {
    CUdeviceptr p;
    int factor, n;
  } packed = {variable, 2, 3};
  size_t packed_size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_size, CU_LAUNCH_PARAM_END};
  DRIVER_WORKS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, extra));
  DRIVER_WORKS(cuMemcpyDtoHAsync(back, variable, sizeof back, stream));
  DRIVER_WORKS(cuStreamSynchronize(stream));
  CHECK(back[0] == 30 && back[2] == 30 && back[3] == 15);

  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, stream, arguments, nullptr));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 60000, stream, arguments, nullptr));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, arguments, extra));
  DRIVER_GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  CHECK(cudaGetLastError() == cudaSuccess);  // the driver's errors are not the runtime's

  WORKS(cudaGetFuncBySymbol(&f, (const void*)cooperative));
  DRIVER_WORKS(cuMemsetD32(variable, 0, 4));
  DRIVER_WORKS(cuCtxSynchronize());
  DRIVER_WORKS(cuLaunchCooperativeKernel(f, 132, 1, 1, 1, 1, 1, 0, stream, arguments));
  DRIVER_GIVES(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
               cuLaunchCooperativeKernel(f, 132 * 100, 1, 1, 1, 1, 1, 0, stream, arguments));
  DRIVER_WORKS(cuMemcpyDtoHAsync(back, variable, sizeof back, stream));
  DRIVER_WORKS(cuStreamSynchronize(stream));
  CHECK(back[0] == 132);

  int value = 0, grid = 0, block = 0;
  DRIVER_WORKS(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  CHECK(value == 1024);
  DRIVER_WORKS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  DRIVER_WORKS(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
  CHECK(value == 100000);
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 3));
  DRIVER_WORKS(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, nullptr, 0, 0));
  CHECK(grid == 264 && block == 1024);

  // streams and events are the runtime's
  CUevent event;
  DRIVER_WORKS(cuEventCreate(&event, CU_EVENT_DEFAULT));
  WORKS(cudaEventRecord(event, stream));
  DRIVER_WORKS(cuEventSynchronize(event));
  WORKS(cudaEventQuery(event));
  CUcontext of_stream, current;
  DRIVER_WORKS(cuStreamGetCtx(stream, &of_stream));
  DRIVER_WORKS(cuCtxGetCurrent(&current));
  CHECK(of_stream == current);
  DRIVER_WORKS(cuEventDestroy(event));
  DRIVER_WORKS(cuStreamDestroy(stream));
  DRIVER_GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(nullptr));
}

void entry_points() {
  void* found = nullptr;
  CUdriverProcAddressQueryResult status;
  DRIVER_WORKS(cuGetProcAddress("cuMemAlloc", &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CHECK(found && status == CU_GET_PROC_ADDRESS_SUCCESS);
  CUdeviceptr p = 0;
  DRIVER_WORKS(((CUresult(*)(CUdeviceptr*, size_t))found)(&p, 64));
  CHECK(p != 0);
  DRIVER_WORKS(cuGetProcAddress("cuNonsense", &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CHECK(!found && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

int main() {
  contexts();
  memory();
  launches();
  entry_points();
  return finish();
}
