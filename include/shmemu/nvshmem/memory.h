/* Chapter 3: the symmetric heap. Plain functions of the runtime (src/emu). */
#ifndef SHMEMU_NVSHMEM_MEMORY_H
#define SHMEMU_NVSHMEM_MEMORY_H
#include "types_constants.h"

/* Collective over all PEs, equal sizes; size 0 gives NULL without a barrier. calloc clears count * size bytes
 * (3.3.9 forgets count, its own tests rely on the product). */
SHMEMU_C void* nvshmem_malloc(size_t size);
SHMEMU_C void* nvshmem_calloc(size_t count, size_t size);
SHMEMU_C void* nvshmem_align(size_t alignment, size_t size);
SHMEMU_C void nvshmem_free(void* ptr);
/* Address by which this PE can load and store the object of PE `pe`; NULL when the platform has no such path. */
SHMEMU_C SHMEMU_HD void* nvshmem_ptr(const void* ptr, int pe);
SHMEMU_C SHMEMU_HD void* nvshmemx_mc_ptr(nvshmem_team_t team, const void* ptr);

/* Local buffers outside the heap that a NIC may read or write. */
SHMEMU_C int nvshmemx_buffer_register(void* addr, size_t length);
SHMEMU_C int nvshmemx_buffer_unregister(void* addr);
SHMEMU_C void nvshmemx_buffer_unregister_all(void);
/* Memory of the user that becomes part of the heap; collective; returns its heap address. */
SHMEMU_C void* nvshmemx_buffer_register_symmetric(void* buf_ptr, size_t size, int flags);
SHMEMU_C int nvshmemx_buffer_unregister_symmetric(void* mmap_ptr, size_t size);
#endif
