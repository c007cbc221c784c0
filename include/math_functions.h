/* Mathematics in kernels.
 *
 * A name that programs include; the content is in the headers named below.
 */
#ifndef SHMEMU_MATH_FUNCTIONS_H
#define SHMEMU_MATH_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
