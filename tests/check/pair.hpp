// What the programs of this folder share. Each breaks one rule; called with the word `right`, it runs repaired.
#pragma once
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <cstring>

struct Pair {
  int me, n, right, left;
  bool repaired;
  Pair(int argc, char** argv) : repaired(argc > 1 && !strcmp(argv[1], "right")) {
    nvshmem_init();
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE));
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    right = (me + 1) % n;
    left = (me + n - 1) % n;
  }
  ~Pair() {
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
    nvshmem_finalize();
  }
  template <class T>
  T* zeroed(size_t count) {
    return static_cast<T*>(nvshmem_calloc(count, sizeof(T)));
  }
};

#define LAUNCH(kernel, threads, ...)                                                              \
  do {                                                                                            \
    void* args[] = {__VA_ARGS__};                                                                 \
    nvshmemx_collective_launch(reinterpret_cast<const void*>(kernel), dim3(1), dim3(threads), args, 0, 0); \
  } while (0)
