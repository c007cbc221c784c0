/* The part of NVSHMEM that a host-only translation unit sees. */
#ifndef SHMEMU_NVSHMEM_HOST_H
#define SHMEMU_NVSHMEM_HOST_H
#ifndef NVSHMEM_HOSTLIB_ONLY
#define NVSHMEM_HOSTLIB_ONLY
#endif
#include "nvshmem.h"
#include "nvshmemx.h"
#endif
