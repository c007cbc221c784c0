// For the programs of this folder: errors end the run with their place.
#pragma once
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstdio>
#include <cstdlib>

#define CHECK_CUDA(call)                                                              \
  do {                                                                                \
    if (cudaError_t e = (call)) {                                                     \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      nvshmem_global_exit(1);                                                         \
    }                                                                                 \
  } while (0)

inline int start() {
  nvshmem_init();
  CHECK_CUDA(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  return nvshmem_my_pe();
}
