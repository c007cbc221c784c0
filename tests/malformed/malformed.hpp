// What the malformed programs share. Each one is short, wrong in one way, and must end with one clear message.
// First line of a program: the exit code of `shmemu run` and a part of the message; second line: the PEs to run it on.
#ifndef SHMEMU_TESTS_MALFORMED_HPP
#define SHMEMU_TESTS_MALFORMED_HPP
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                         \
  do {                                                                           \
    cudaError_t e = (call);                                                      \
    if (e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

inline void start() {
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
}

// Reached only when the mistake went unnoticed: the test then sees exit code 0 and no message.
inline int finish() {
  CUDA_CHECK(cudaDeviceSynchronize());
  nvshmem_barrier_all();
  nvshmem_finalize();
  return 0;
}
#endif
