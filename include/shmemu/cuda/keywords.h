/* The CUDA words that are not in the C++ grammar, as attributes of clang.
 *
 * First header of every other one here. In a .cu file (clang -x cuda, both passes) the words place functions and
 * variables; in plain C and C++ they are empty, so that shared headers of a program parse.
 * `__noinline__` is a keyword of clang's CUDA mode and must not become a macro: the C++ library writes
 * __attribute__((__noinline__)). No other macro with a reserved name is defined here than those CUDA documents.
 */
#ifndef SHMEMU_CUDA_KEYWORDS_H
#define SHMEMU_CUDA_KEYWORDS_H

#define __SHMEMU__ 1
#define CUDART_VERSION 12040
#ifndef CUDA_VERSION
#define CUDA_VERSION 12040
#endif

#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define CUDARTAPI
#define CUDART_CB

#if defined(__CUDA__)
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 131
#define __CUDA_ARCH_LIST__ 900
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
/* Host and device share one copy. clang rejects the CUDA attribute, so both passes see a __device__ variable in a
 * marked section, and the plugin makes the host's shadow a reference to the device's definition. */
#define __managed__ __attribute__((device, section("shmemu_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __nv_pure__

/* a default argument of a function that C sees as well */
#ifdef __cplusplus
#define SHMEMU_DEFAULT(value) = value
#else
#define SHMEMU_DEFAULT(value)
#endif
/* a function that has its body in a header, for both sides and for the device alone */
#define SHMEMU_INLINE_HD static __inline__ __host__ __device__
#define SHMEMU_INLINE_D static __inline__ __device__ __attribute__((always_inline))
#endif
