/* The name by which NVIDIA's tile benchmarks include NVSHMEM's tensors. */
#ifndef SHMEMU_DEVICE_HOST_NVSHMEM_TENSOR_H
#define SHMEMU_DEVICE_HOST_NVSHMEM_TENSOR_H
#include "../nvshmem.h"
#include "../nvshmemx.h"
#endif
