/* OpenSHMEM 1.5: start and end, who am I, memory, teams, contexts, ordering, locks. Plain functions of the runtime
 * (src/emu/shmem), which a program that opens liboshmem while it runs can look up. */
#ifndef SHMEMU_SHMEM_SETUP_H
#define SHMEMU_SHMEM_SETUP_H
#include "types.h"

/* 9.1 */
SHMEMU_C void shmem_init(void);
SHMEMU_C int shmem_init_thread(int requested, int* provided);
SHMEMU_C void shmem_query_thread(int* provided);
SHMEMU_C void shmem_finalize(void);
SHMEMU_C void shmem_global_exit(int status);
SHMEMU_C int shmem_my_pe(void);
SHMEMU_C int shmem_n_pes(void);
SHMEMU_C int shmem_pe_accessible(int pe);
SHMEMU_C int shmem_addr_accessible(const void* address, int pe);
SHMEMU_C void* shmem_ptr(const void* dest, int pe);
SHMEMU_C void shmem_info_get_version(int* major, int* minor);
SHMEMU_C void shmem_info_get_name(char* name);
SHMEMU_C void start_pes(int unused);
SHMEMU_C int _my_pe(void);
SHMEMU_C int _num_pes(void);

/* 9.3 */
SHMEMU_C void* shmem_malloc(size_t size);
SHMEMU_C void* shmem_calloc(size_t count, size_t size);
SHMEMU_C void* shmem_align(size_t alignment, size_t size);
SHMEMU_C void* shmem_realloc(void* ptr, size_t size);
SHMEMU_C void* shmem_malloc_with_hints(size_t size, long hints);
SHMEMU_C void shmem_free(void* ptr);
SHMEMU_SHMEM void* shmalloc(size_t size) { return shmem_malloc(size); }
SHMEMU_SHMEM void shfree(void* ptr) { shmem_free(ptr); }

/* 9.4 */
SHMEMU_C int shmem_team_my_pe(shmem_team_t team);
SHMEMU_C int shmem_team_n_pes(shmem_team_t team);
SHMEMU_C int shmem_team_get_config(shmem_team_t team, long mask, shmem_team_config_t* config);
SHMEMU_C int shmem_team_translate_pe(shmem_team_t from, int pe, shmem_team_t to);
SHMEMU_C int shmem_team_split_strided(shmem_team_t parent, int start, int stride, int size,
                                      const shmem_team_config_t* config, long mask, shmem_team_t* out);
SHMEMU_C int shmem_team_split_2d(shmem_team_t parent, int xrange, const shmem_team_config_t* x_config, long x_mask,
                                 shmem_team_t* x, const shmem_team_config_t* y_config, long y_mask, shmem_team_t* y);
SHMEMU_C void shmem_team_destroy(shmem_team_t team);

/* 9.5 */
SHMEMU_C int shmem_ctx_create(long options, shmem_ctx_t* out);
SHMEMU_C int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* out);
SHMEMU_C void shmem_ctx_destroy(shmem_ctx_t ctx);
SHMEMU_C int shmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* out);

/* 9.10, 9.11 */
SHMEMU_C void shmem_fence(void);
SHMEMU_C void shmem_quiet(void);
SHMEMU_C void shmem_ctx_fence(shmem_ctx_t ctx);
SHMEMU_C void shmem_ctx_quiet(shmem_ctx_t ctx);
SHMEMU_C void shmem_barrier_all(void);
SHMEMU_C void shmem_sync_all(void);
SHMEMU_C int shmem_team_sync(shmem_team_t team);

/* 9.12, 9.13 */
SHMEMU_C void shmem_set_lock(long* lock);
SHMEMU_C void shmem_clear_lock(long* lock);
SHMEMU_C int shmem_test_lock(long* lock);
SHMEMU_SHMEM void shmem_pcontrol(int level, ...) { (void)level; }
#endif
