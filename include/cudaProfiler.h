/* The profiler calls of the CUDA driver API.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_CUDAPROFILER_H
#define SHMEMU_CUDAPROFILER_H
#include "cuda.h"
#endif
