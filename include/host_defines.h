/* The CUDA words as attributes.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_HOST_DEFINES_H
#define SHMEMU_HOST_DEFINES_H
#include "shmemu/cuda/keywords.h"
#endif
