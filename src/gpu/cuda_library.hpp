// The CUDA that is at hand: libcudart and libcuda, opened when a run on real GPUs begins. Types are those of our own
// CUDA headers, whose layout is CUDA's. Owner: GpuRun.
#pragma once
#include <string>

#include "cuda.h"
#include "cuda_runtime_api.h"

namespace shmemu::gpu {

struct CudaLibrary {
  CudaLibrary();  // UserError when there is no CUDA or no GPU

#define SHMEMU_CUDA_FUNCTIONS(X)                                                                                    \
  X(cudaMalloc, cudaError_t, (void**, size_t))                                                                      \
  X(cudaFree, cudaError_t, (void*))                                                                                 \
  X(cudaHostAlloc, cudaError_t, (void**, size_t, unsigned))                                                         \
  X(cudaFreeHost, cudaError_t, (void*))                                                                             \
  X(cudaMemcpyAsync, cudaError_t, (void*, const void*, size_t, cudaMemcpyKind, cudaStream_t))                       \
  X(cudaMemcpy2DAsync, cudaError_t,                                                                                 \
    (void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t))                             \
  X(cudaMemsetAsync, cudaError_t, (void*, int, size_t, cudaStream_t))                                               \
  X(cudaStreamCreateWithFlags, cudaError_t, (cudaStream_t*, unsigned))                                              \
  X(cudaStreamQuery, cudaError_t, (cudaStream_t))                                                                   \
  X(cudaStreamSynchronize, cudaError_t, (cudaStream_t))                                                             \
  X(cudaEventCreateWithFlags, cudaError_t, (cudaEvent_t*, unsigned))                                                \
  X(cudaEventRecord, cudaError_t, (cudaEvent_t, cudaStream_t))                                                      \
  X(cudaEventElapsedTime, cudaError_t, (float*, cudaEvent_t, cudaEvent_t))                                          \
  X(cudaEventDestroy, cudaError_t, (cudaEvent_t))                                                                   \
  X(cudaEventQuery, cudaError_t, (cudaEvent_t))                                                                     \
  X(cudaMemcpyToSymbol, cudaError_t, (const void*, const void*, size_t, size_t, cudaMemcpyKind))                    \
  X(cudaGetSymbolAddress, cudaError_t, (void**, const void*))                                                       \
  X(cudaFuncGetAttributes, cudaError_t, (void*, const void*))                                                       \
  X(cudaOccupancyMaxActiveBlocksPerMultiprocessor, cudaError_t, (int*, const void*, int, size_t))                   \
  X(cudaGetFuncBySymbol, cudaError_t, (void**, const void*))                                                        \
  X(cudaPointerGetAttributes, cudaError_t, (void*, const void*))                                                    \
  X(cudaDeviceGetAttribute, cudaError_t, (int*, int, int))                                                          \
  X(cudaDeviceCanAccessPeer, cudaError_t, (int*, int, int))                                                         \
  X(cudaGetDeviceCount, cudaError_t, (int*))                                                                        \
  X(cudaSetDevice, cudaError_t, (int))                                                                              \
  X(cudaMemGetInfo, cudaError_t, (size_t*, size_t*))                                                                \
  X(cudaGetErrorString, const char*, (cudaError_t))                                                                 \
  X(cudaGetLastError, cudaError_t, ())                                                                              \
  X(__cudaRegisterFatBinary, void**, (void*))                                                                       \
  X(__cudaRegisterFunction, void, (void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*)) \
  X(__cudaRegisterVar, void, (void**, char*, char*, const char*, int, size_t, int, int))
#define SHMEMU_DRIVER_FUNCTIONS(X)                                                                               \
  X(cuLaunchKernel, int,                                                                                         \
    (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cudaStream_t, void**, void**)) \
  X(cuLaunchCooperativeKernel, int,                                                                              \
    (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cudaStream_t, void**))         \
  X(cuModuleLoadData, int, (void**, const void*))                                                                \
  X(cuModuleGetFunction, int, (void**, void*, const char*))                                                      \
  X(cuFuncGetParamInfo, int, (void*, size_t, size_t*, size_t*))                                                  \
  X(cuDeviceGetName, int, (char*, int, int))                                                                     \
  X(cuMemAddressReserve, int, (CUdeviceptr*, size_t, size_t, CUdeviceptr, unsigned long long))                   \
  X(cuMemCreate, int, (CUmemGenericAllocationHandle*, size_t, const CUmemAllocationProp*, unsigned long long))   \
  X(cuMemMap, int, (CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long))              \
  X(cuMemUnmap, int, (CUdeviceptr, size_t))                                                                      \
  X(cuMemAddressFree, int, (CUdeviceptr, size_t))                                                                \
  X(cuMemRelease, int, (CUmemGenericAllocationHandle))                                                           \
  X(cuMemSetAccess, int, (CUdeviceptr, size_t, const CUmemAccessDesc*, size_t))                                  \
  X(cuMemRetainAllocationHandle, int, (CUmemGenericAllocationHandle*, void*))

#define X(NAME, RESULT, ARGUMENTS) RESULT(*NAME) ARGUMENTS = nullptr;
  SHMEMU_CUDA_FUNCTIONS(X)
  SHMEMU_DRIVER_FUNCTIONS(X)
#undef X
  void* find(const char* function) const;  // of the runtime; null if it has none of that name
  std::string gpu_name;                    // of the first GPU; all of them are of its kind
  int gpus = 0, sms = 0, clock_khz = 0;
  uint64_t memory = 0;  // free on the fullest of them

 private:
  void* runtime_ = nullptr;
};

// cudaMemoryType: 0 unknown to CUDA, 1 pinned host, 2 device, 3 managed.
int memory_type(const CudaLibrary& cuda, const void* p);

// UserError for an error that the runtime itself, not the program, has caused.
void check(const CudaLibrary& cuda, int error, const char* what);

}  // namespace shmemu::gpu
