/* NVSHMEM names for programs compiled by `shmemu cc`: the API of release 3.3.9 (specification 1.3), no logic.
 *
 * Chapters are in shmemu/nvshmem/; the runtime in src/emu does the work. NVSHMEM is a trademark of NVIDIA; this is an
 * independent implementation of the published names. With NVSHMEM_HOSTLIB_ONLY only what a host calls is declared.
 */
#ifndef SHMEMU_NVSHMEM_H
#define SHMEMU_NVSHMEM_H
#include <cuda.h> /* programs rely on NVSHMEM's headers for the driver API */
#include <cuda_runtime.h>

#include "shmemu/nvshmem/atomics.h"
#include "shmemu/nvshmem/collectives.h"
#include "shmemu/nvshmem/init_query.h"
#include "shmemu/nvshmem/memory.h"
#include "shmemu/nvshmem/ordering.h"
#include "shmemu/nvshmem/put_signal.h"
#include "shmemu/nvshmem/rma.h"
#include "shmemu/nvshmem/signal.h"
#include "shmemu/nvshmem/strided.h"
#include "shmemu/nvshmem/teams.h"
#include "shmemu/nvshmem/types_constants.h"
#include "shmemu/nvshmem/wait_test.h"
#endif
