/* Part of the device language; cuda_runtime.h has all of it, and `shmemu cc` includes that first.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_DEVICE_ATOMIC_FUNCTIONS_H
#define SHMEMU_DEVICE_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
