// What the programs of this folder share: checks that say what they found. A program prints "ok" or FAIL lines. All but
// those of __SHMEMU__ hold on an H200 as well (nvcc -I. program.cu -lcuda).
#ifndef SHMEMU_TESTS_CUDA_HOST_CHECK_HPP
#define SHMEMU_TESTS_CUDA_HOST_CHECK_HPP
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

inline int failures = 0;

#define CHECK(condition)                                        \
  do {                                                          \
    if (!(condition)) {                                         \
      printf("FAIL line %d: %s\n", __LINE__, #condition);       \
      ++failures;                                               \
    }                                                           \
  } while (0)

// A call of the runtime API that must give this code.
#define GIVES(expected, call)                                                                                   \
  do {                                                                                                          \
    cudaError_t got_ = (call);                                                                                  \
    if (got_ != (expected)) {                                                                                   \
      printf("FAIL line %d: %s gives %s, not %s\n", __LINE__, #call, cudaGetErrorName(got_), #expected);        \
      ++failures;                                                                                               \
    }                                                                                                           \
    if (got_ != cudaSuccess) cudaGetLastError();                                                                \
  } while (0)
#define WORKS(call) GIVES(cudaSuccess, call)

// The same for the driver API.
#define DRIVER_GIVES(expected, call)                                                      \
  do {                                                                                    \
    CUresult got_ = (call);                                                               \
    const char* name_ = "?";                                                              \
    cuGetErrorName(got_, &name_);                                                         \
    if (got_ != (expected)) {                                                             \
      printf("FAIL line %d: %s gives %s, not %s\n", __LINE__, #call, name_, #expected);   \
      ++failures;                                                                         \
    }                                                                                     \
  } while (0)
#define DRIVER_WORKS(call) DRIVER_GIVES(CUDA_SUCCESS, call)

inline int finish() {
  if (failures == 0) printf("ok\n");
  return failures ? 1 : 0;
}
#endif
