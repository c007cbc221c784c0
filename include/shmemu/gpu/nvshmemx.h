/* nvshmemx.h for nvcc. Tiles and queue pairs are not there yet. */
#ifndef SHMEMU_GPU_NVSHMEMX_H
#define SHMEMU_GPU_NVSHMEMX_H
#include "../nvshmem/launch.h"
#include "../nvshmem/on_stream.h"
#include "nvshmem.h"
#endif
