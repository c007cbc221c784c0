/* Chapter 2: start, end, who am I. Plain functions of the runtime (src/emu/api). */
#ifndef SHMEMU_NVSHMEM_INIT_QUERY_H
#define SHMEMU_NVSHMEM_INIT_QUERY_H
#include "types_constants.h"

SHMEMU_C void nvshmem_init(void);
SHMEMU_C int nvshmem_init_thread(int requested, int* provided);
SHMEMU_C void nvshmem_query_thread(int* provided);
SHMEMU_C void nvshmem_finalize(void);
SHMEMU_C SHMEMU_HD void nvshmem_global_exit(int status);
SHMEMU_C SHMEMU_HD int nvshmem_my_pe(void);
SHMEMU_C SHMEMU_HD int nvshmem_n_pes(void);
SHMEMU_C SHMEMU_HD void nvshmem_info_get_version(int* major, int* minor);
SHMEMU_C SHMEMU_HD void nvshmem_info_get_name(char* name);

SHMEMU_C SHMEMU_HD void nvshmemx_vendor_get_version_info(int* major, int* minor, int* patch);
SHMEMU_C int nvshmemx_init_status(void); /* nvshmemx_init_status_t */
SHMEMU_C int nvshmemx_init_attr(unsigned int flags, nvshmemx_init_attr_t* attributes);
SHMEMU_C int nvshmemx_hostlib_init_attr(unsigned int flags, nvshmemx_init_attr_t* attributes);
SHMEMU_C void nvshmemx_hostlib_finalize(void);
SHMEMU_C int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t* uniqueid);
SHMEMU_C int nvshmemx_set_attr_uniqueid_args(const int myrank, const int nranks, const nvshmemx_uniqueid_t* uniqueid,
                                             nvshmemx_init_attr_t* attributes);
SHMEMU_C int nvshmemx_set_attr_mpi_comm_args(void* mpi_comm, nvshmemx_init_attr_t* attributes);
#endif
