// What the test programs of this folder share: error check, start, collective launch. Not part of the product.
#ifndef SHMEMU_TESTS_PROGRAMS_PROGRAM_HPP
#define SHMEMU_TESTS_PROGRAMS_PROGRAM_HPP
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CUDA_CHECK(call)                                                         \
  do {                                                                           \
    cudaError_t e = (call);                                                      \
    if (e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

struct Pe {
  int me, n;
};

// Starts NVSHMEM with one GPU per PE; ends the program when there are fewer PEs than it needs.
inline Pe start(int least_pes = 1) {
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  Pe pe = {nvshmem_my_pe(), nvshmem_n_pes()};
  if (pe.n < least_pes) {
    if (pe.me == 0) fprintf(stderr, "needs at least %d PEs\n", least_pes);
    exit(2);
  }
  return pe;
}

template <class T>
T* symmetric(size_t count = 1) {
  return static_cast<T*>(nvshmem_calloc(count, sizeof(T)));
}

// Runs a kernel that waits for other PEs, on stream 0, and waits for its end.
template <class... Parameters, class... Arguments>
void together(void (*kernel)(Parameters...), int blocks, int threads, Arguments... arguments) {
  auto launch = [&](Parameters... exact) {
    void* args[] = {static_cast<void*>(&exact)..., nullptr};
    if (nvshmemx_collective_launch(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), args, 0,
                                   nullptr) != 0) {
      fprintf(stderr, "collective launch failed\n");
      exit(1);
    }
  };
  launch(arguments...);
  CUDA_CHECK(cudaDeviceSynchronize());
}

// The value of device memory, for the host.
template <class T>
T value_of(const T* device) {
  T value;
  CUDA_CHECK(cudaMemcpy(&value, device, sizeof(T), cudaMemcpyDeviceToHost));
  return value;
}

inline int finish(const char* name, bool good) {
  if (good && nvshmem_my_pe() == 0) printf("%s ok\n", name);
  nvshmem_barrier_all();
  nvshmem_finalize();
  return good ? 0 : 1;
}
#endif
