/* nvshmem.h for nvcc (`shmemu cc --gpu`): the same names, with device functions that do the work on a real GPU. */
#ifndef SHMEMU_GPU_NVSHMEM_H
#define SHMEMU_GPU_NVSHMEM_H
#include <assert.h> /* programs get it with NVSHMEM's headers */
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "../nvshmem/atomics.h"
#include "../nvshmem/collectives.h"
#include "../nvshmem/init_query.h"
#include "../nvshmem/memory.h"
#include "../nvshmem/ordering.h"
#include "../nvshmem/put_signal.h"
#include "../nvshmem/rma.h"
#include "../nvshmem/signal.h"
#include "../nvshmem/strided.h"
#include "../nvshmem/teams.h"
#include "../nvshmem/types_constants.h"
#include "../nvshmem/wait_test.h"
#include "calls.h"

/* The program's own fences count as fences; unlogged, they would count as computing, and as a long one, because they
 * wait for the log's way to the host. */
#ifdef __CUDACC__
static __device__ inline void __shmemu_fence_system() {
#ifdef __CUDA_ARCH__
  shmemu_gpu::order(SHMEMU_LOG_FENCE, 1);
#endif
}
#define __threadfence_system __shmemu_fence_system
#endif
#endif
