/* The name by which NVIDIA's tile benchmarks include NVSHMEM's types. */
#ifndef SHMEMU_DEVICE_HOST_NVSHMEM_COMMON_CUH
#define SHMEMU_DEVICE_HOST_NVSHMEM_COMMON_CUH
#include "../nvshmem.h"
#include "../nvshmemx.h"
#endif
