/* make_int4 and the like.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_VECTOR_FUNCTIONS_H
#define SHMEMU_VECTOR_FUNCTIONS_H
#include "shmemu/cuda/vector_functions.h"
#endif
