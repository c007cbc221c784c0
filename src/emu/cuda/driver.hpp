// What the functions of the driver API share: is the driver initialised, is there a context, how errors translate.
// The driver and the runtime see the same devices, streams, events and memory.
#pragma once
#include "cuda.h"
#include "emu/cuda/runtime_state.hpp"

namespace shmemu::emu {

// CUDA_ERROR_NOT_INITIALIZED before cuInit, unless the runtime API has been used.
CUresult driver_ready();
// CUDA_ERROR_INVALID_CONTEXT without a current context. The runtime's current device counts as one once it has been used.
CUresult context_ready();

// The runtime API has been called in a way that initialises the driver.
void note_runtime_call();
// cudaSetDevice: the device's primary context becomes the current one.
void bind_primary_context(Pe& pe, int device);
void choose_device(Pe& pe, int device);  // devices.cpp

CUresult as_driver_error(cudaError_t error);
// A call of the runtime that the driver's caller made: leaves cudaGetLastError alone.
template <class F>
CUresult through_runtime(F&& call) {
  if (CUresult e = context_ready()) return e;
  int before = g_current.pe->cuda.last_error;
  cudaError_t error = call();
  g_current.pe->cuda.last_error = before;
  return as_driver_error(error);
}

}  // namespace shmemu::emu

// The name that a function has in libcuda.so since its second version, for programs that look it up there.
#define SHMEMU_SECOND_VERSION(name) decltype(name) name##_v2 __attribute__((alias(#name)))
