/* Cooperative groups: threads of a grid, a block or a warp as objects that synchronise and exchange values.
 *
 * Device code of .cu files. Groups are values without identity; everything ends in the barriers and warp operations of
 * cuda_runtime.h. Tiles hold at most one warp; clusters and multi-device grids are not here.
 */
#ifndef SHMEMU_COOPERATIVE_GROUPS_H
#define SHMEMU_COOPERATIVE_GROUPS_H
#include "cuda_runtime.h"
#if defined(__CUDA__) && defined(__cplusplus)
#include "shmemu/cuda/groups/block_and_grid.h"
#include "shmemu/cuda/groups/partition.h"
#include "shmemu/cuda/groups/warp.h"
#endif
#endif
