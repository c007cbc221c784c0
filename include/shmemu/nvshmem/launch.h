/* Chapter 5: kernels that wait for other PEs, and modules loaded at run time. Plain functions of the runtime. */
#ifndef SHMEMU_NVSHMEM_LAUNCH_H
#define SHMEMU_NVSHMEM_LAUNCH_H
#include <cuda_runtime.h>

#include "types_constants.h"

struct CUmod_st;
struct CUlib_st;

/* All blocks resident at once, on every PE; grid (0,0,0): as many blocks as fit. */
SHMEMU_C int nvshmemx_collective_launch(const void* func, dim3 gridDims, dim3 blockDims, void** args, size_t sharedMem,
                                        cudaStream_t stream);
SHMEMU_C int nvshmemx_collective_launch_query_gridsize(const void* func, dim3 blockDims, void** args, size_t sharedMem,
                                                       int* gridsize);

SHMEMU_C int nvshmemx_cumodule_init(struct CUmod_st* module);
SHMEMU_C int nvshmemx_cumodule_finalize(struct CUmod_st* module);
SHMEMU_C int nvshmemx_culibrary_init(struct CUlib_st* library);
SHMEMU_C int nvshmemx_culibrary_finalize(struct CUlib_st* library);
#endif
