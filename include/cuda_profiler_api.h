/* The profiler calls of the CUDA runtime: cudaProfilerStart and cudaProfilerStop.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_CUDA_PROFILER_API_H
#define SHMEMU_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"
#endif
