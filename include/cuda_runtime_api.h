/* The host functions of the CUDA runtime, for C and C++.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_TOP_CUDA_RUNTIME_API_H
#define SHMEMU_TOP_CUDA_RUNTIME_API_H
#include "shmemu/cuda/keywords.h"
#if defined(__CUDA__) && defined(__cplusplus)
#include "cuda_runtime.h" /* a .cu file needs the whole order of it */
#else
#include "shmemu/cuda/runtime_api.h"
#endif
#endif
