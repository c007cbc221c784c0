/* Chapter 6: order and completion of the calling PE's operations. Plain functions of the runtime (src/emu/api).
 *
 * fence: to each PE, what was issued before arrives before what is issued after; it says nothing across PEs.
 * quiet: everything this PE issued, by whichever thread, is complete at its target (spec 1.3, memory ordering).
 */
#ifndef SHMEMU_NVSHMEM_ORDERING_H
#define SHMEMU_NVSHMEM_ORDERING_H
#include "types_constants.h"

SHMEMU_C SHMEMU_HD void nvshmem_fence(void);
SHMEMU_C SHMEMU_HD void nvshmem_quiet(void);
#endif
