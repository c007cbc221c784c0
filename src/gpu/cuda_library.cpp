#include "gpu/cuda_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::gpu {
namespace {

// Global, so that what we do not define ourselves is found there by the program.
void* open_first(std::initializer_list<const char*> names, std::string& tried) {
  for (const char* name : names) {
    if (!name) continue;
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return handle;
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", name);
  }
  return nullptr;
}

constexpr int kMultiprocessors = 16, kClockRate = 13;  // cudaDeviceAttr

}  // namespace

CudaLibrary::CudaLibrary() {
  // all of a module is on the GPU before the first kernel: loading later would wait for kernels that wait for each
  // other
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  // hardware queues: a command that waits in one keeps the streams that share it from starting
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  std::string tried;
  void* driver = open_first({"libcuda.so.1"}, tried);
  runtime_ = open_first({std::getenv("SHMEMU_CUDART"), "libcudart.so.13", "libcudart.so.12", "libcudart.so",
                         "/usr/local/cuda/lib64/libcudart.so"},
                        tried);
  if (!driver || !runtime_)
    throw UserError(
        ExitCode::usage,
        fmt::format("the GPU executor needs NVIDIA's driver and the CUDA runtime library; not found: {}. Name the "
                    "library's file in SHMEMU_CUDART, or use --executor cpu",
                    tried));
  std::string missing;
#define X(NAME, RESULT, ARGUMENTS)                                    \
  NAME = reinterpret_cast<RESULT(*) ARGUMENTS>(dlsym(HANDLE, #NAME)); \
  if (!NAME) missing += missing.empty() ? #NAME : ", " #NAME;
#define HANDLE runtime_
  SHMEMU_CUDA_FUNCTIONS(X)
#undef HANDLE
#define HANDLE driver
  SHMEMU_DRIVER_FUNCTIONS(X)
#undef HANDLE
#undef X
  if (!missing.empty())
    throw UserError(ExitCode::usage,
                    fmt::format("this CUDA is too old for the GPU executor: it lacks {} (12.4 has them)", missing));
  if (int error = cudaGetDeviceCount(&gpus); error || gpus == 0)
    throw UserError(ExitCode::usage,
                    fmt::format("no GPU: {}. Use --executor cpu", cudaGetErrorString(static_cast<cudaError_t>(error))));
  check(*this, cudaDeviceGetAttribute(&sms, kMultiprocessors, 0), "cudaDeviceGetAttribute");
  check(*this, cudaDeviceGetAttribute(&clock_khz, kClockRate, 0), "cudaDeviceGetAttribute");
  auto name_of = [this](int device) {
    char name[256] = {};
    cuDeviceGetName(name, sizeof name, device);
    return std::string(name);
  };
  gpu_name = name_of(0);
  memory = UINT64_MAX;
  for (int device = 0; device < gpus; ++device) {
    int reaches = 1;
    if (device) check(*this, cudaDeviceCanAccessPeer(&reaches, 0, device), "cudaDeviceCanAccessPeer");
    if (!reaches || name_of(device) != gpu_name) {  // PEs are placed on GPUs that are alike and see each other
      gpus = device;
      break;
    }
    check(*this, cudaSetDevice(device), "cudaSetDevice");
    size_t free_bytes = 0, all = 0;
    check(*this, cudaMemGetInfo(&free_bytes, &all), "cudaMemGetInfo");
    memory = std::min<uint64_t>(memory, free_bytes);
  }
  check(*this, cudaSetDevice(0), "cudaSetDevice");
}

void* CudaLibrary::find(const char* function) const { return dlsym(runtime_, function); }

int memory_type(const CudaLibrary& cuda, const void* p) {
  alignas(
      16) unsigned char attributes[512] = {};  // cudaPointerAttributes, which grew with CUDA 13; the type comes first
  if (cuda.cudaPointerGetAttributes(attributes, p)) return cuda.cudaGetLastError(), 0;
  int type;
  std::memcpy(&type, attributes, sizeof type);
  return type;
}

void check(const CudaLibrary& cuda, int error, const char* what) {
  if (error)
    throw UserError(ExitCode::program_failed, fmt::format("GPU executor: {}: {}", what,
                                                          cuda.cudaGetErrorString(static_cast<cudaError_t>(error))));
}

}  // namespace shmemu::gpu
