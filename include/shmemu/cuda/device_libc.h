/* The C library functions that kernels may call: malloc, free, printf, assert.
 *
 * Must stand before any C++ library header: clang's <new> wrapper calls ::malloc, and <cstdlib> copies into namespace
 * std what is declared by then. clang turns printf into vprintf with a packed argument buffer; the plugin renames that
 * to __shmemu_vprintf. The bodies are in the runtime.
 */
#ifndef SHMEMU_CUDA_DEVICE_LIBC_H
#define SHMEMU_CUDA_DEVICE_LIBC_H
#include <stddef.h>
#include "../abi.h"
#include "keywords.h"

extern "C" {
__device__ int printf(const char* format, ...);
__device__ int vprintf(const char* format, const char* arguments);
static __device__ inline void* malloc(size_t bytes) { return __shmemu_malloc(bytes); }
static __device__ inline void free(void* p) { __shmemu_free(p); }
/* <assert.h> calls the first, code written for nvcc may call the second */
static __device__ inline void __assert_fail(const char* expression, const char* file, unsigned int line,
                                            const char* function) {
  __shmemu_assert_fail(expression, file, line, function);
}
static __device__ inline void __assertfail(const char* expression, const char* file, unsigned int line,
                                           const char* function, size_t) {
  __shmemu_assert_fail(expression, file, line, function);
}
}
#endif
