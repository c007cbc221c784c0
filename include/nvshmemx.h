/* Extensions of NVSHMEM (nvshmemx_*): streams, collective launch, queue pairs, tiles. Scoped names live beside their family in
 * nvshmem.h. */
#ifndef SHMEMU_NVSHMEMX_H
#define SHMEMU_NVSHMEMX_H
#include "nvshmem.h"
#include "shmemu/nvshmem/launch.h"
#include "shmemu/nvshmem/on_stream.h"
#include "shmemu/nvshmem/qp.h"
#include "shmemu/nvshmem/tile.h"
#endif
