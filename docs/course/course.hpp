// What the programs of the course share: start and end of NVSHMEM, launching, checking CUDA calls. Nothing that a lesson
// is about. Works the same on real GPUs.
#pragma once
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                         \
  do {                                                                           \
    cudaError_t e = (call);                                                      \
    if (e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      nvshmem_global_exit(1);                                                    \
    }                                                                            \
  } while (0)

// One PE of the program. Begins NVSHMEM and chooses the GPU; its end waits for all PEs and ends NVSHMEM.
struct Course {
  int me, n, right, left;  // this PE, number of PEs, the neighbours on a ring

  Course() {
    nvshmem_init();
    CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    right = (me + 1) % n;
    left = (me + n - 1) % n;
  }
  ~Course() {
    CUDA_CHECK(cudaDeviceSynchronize());
    nvshmem_barrier_all();
    nvshmem_finalize();
  }

  // Symmetric memory, zeroed on every PE before any PE goes on.
  template <class T>
  T* symmetric(size_t count) const {
    return static_cast<T*>(nvshmem_calloc(count, sizeof(T)));
  }
  // Memory of this GPU only, zeroed.
  template <class T>
  T* local(size_t count) const {
    T* p;
    CUDA_CHECK(cudaMalloc(&p, count * sizeof(T)));
    CUDA_CHECK(cudaMemset(p, 0, count * sizeof(T)));
    return p;
  }
};

// Starts `kernel` on all PEs together, so that its blocks may wait for other PEs. Arguments have the kernel's own types.
template <class... P>
void launch(void (*kernel)(P...), int blocks, int threads, P... arguments) {
  void* pointers[] = {&arguments...};
  if (nvshmemx_collective_launch(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), pointers, 0, 0)) {
    fprintf(stderr, "collective launch failed\n");
    nvshmem_global_exit(1);
  }
}

// The first element on the host, after all commands of this GPU.
template <class T>
T value(const T* on_gpu) {
  T result;
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(&result, on_gpu, sizeof(T), cudaMemcpyDeviceToHost));
  return result;
}
