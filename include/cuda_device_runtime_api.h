/* Part of the device language; cuda_runtime.h has all of it, and `shmemu cc` includes that first.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_CUDA_DEVICE_RUNTIME_API_H
#define SHMEMU_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime.h"
#endif
