/* The older name of nvtx3/nvToolsExt.h.
 *
 * A name that programs include; the content is in the header named below.
 */
#ifndef SHMEMU_NVTOOLSEXT_H
#define SHMEMU_NVTOOLSEXT_H
#include "nvtx3/nvToolsExt.h"
#endif
