/* The data types of the CUDA runtime.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_DRIVER_TYPES_H
#define SHMEMU_DRIVER_TYPES_H
#include "shmemu/cuda/runtime_types.h"
#endif
