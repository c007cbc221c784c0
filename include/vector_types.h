/* int4, float2, dim3 and the like.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_VECTOR_TYPES_H
#define SHMEMU_VECTOR_TYPES_H
#include "shmemu/cuda/vector_types.h"
#endif
