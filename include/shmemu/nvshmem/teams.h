/* Chapter 4: teams. Plain functions of the runtime (src/emu/api). A failed split gives NVSHMEM_TEAM_INVALID. */
#ifndef SHMEMU_NVSHMEM_TEAMS_H
#define SHMEMU_NVSHMEM_TEAMS_H
#include "types_constants.h"

SHMEMU_C SHMEMU_HD int nvshmem_team_my_pe(nvshmem_team_t team);
SHMEMU_C SHMEMU_HD int nvshmem_team_n_pes(nvshmem_team_t team);
SHMEMU_C SHMEMU_HD int nvshmem_team_translate_pe(nvshmem_team_t src_team, int src_pe, nvshmem_team_t dest_team);
SHMEMU_C void nvshmem_team_get_config(nvshmem_team_t team, nvshmem_team_config_t* config);
SHMEMU_C int nvshmem_team_split_strided(nvshmem_team_t parent_team, int PE_start, int PE_stride, int PE_size,
                                        const nvshmem_team_config_t* config, long config_mask,
                                        nvshmem_team_t* new_team);
SHMEMU_C int nvshmem_team_split_2d(nvshmem_team_t parent_team, int xrange, const nvshmem_team_config_t* xaxis_config,
                                   long xaxis_mask, nvshmem_team_t* xaxis_team,
                                   const nvshmem_team_config_t* yaxis_config, long yaxis_mask,
                                   nvshmem_team_t* yaxis_team);
SHMEMU_C void nvshmem_team_destroy(nvshmem_team_t team);

/* A team of any list of PEs: one PE makes the id and hands it to the others, each calls init with its own index. */
SHMEMU_C int nvshmemx_team_get_uniqueid(nvshmemx_team_uniqueid_t* uniqueid);
SHMEMU_C int nvshmemx_team_init(nvshmem_team_t* team, nvshmem_team_config_t* config, long config_mask, int npes,
                                int pe_idx_in_team);
#endif
