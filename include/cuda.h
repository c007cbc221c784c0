/* The CUDA driver API, version 12.4.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_CUDA_H
#define SHMEMU_CUDA_H
#ifndef CUDA_VERSION
#define CUDA_VERSION 12040
#endif
#include "shmemu/cuda/driver_api.h"
#endif
