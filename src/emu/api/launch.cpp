// Collective launch: a kernel on every PE whose blocks may synchronise across PEs, so all of them must be resident.
#include "device/grid.hpp"
#include "emu/api/checks.hpp"
#include "emu/core/broken_rule.hpp"
#include "emu/cuda/runtime_state.hpp"
#include "shmemu/nvshmem/types_constants.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

// Blocks of this kernel that the GPU holds at once; 0 when there is no such kernel.
int resident_blocks(const void* stub, dim3 block, size_t shared) {
  Pe& pe = *g_current.pe;
  const shmemu_kernel* kernel = pe.registry.find_kernel(stub, nullptr);
  if (!kernel) return 0;
  return device::Gpu::resident_limit(pe.world.platform.gpu, block.x * block.y * block.z,
                                     kernel->static_shared + shared);
}

}  // namespace

extern "C" {

int nvshmemx_collective_launch_query_gridsize(const void* stub, dim3 block, void**, size_t shared, int* grid) {
  shmem_pe("nvshmemx_collective_launch_query_gridsize", SHMEMU_SITE());
  int blocks = resident_blocks(stub, block, shared);
  if (!blocks || !grid) return NVSHMEMX_ERROR_INVALID_VALUE;
  *grid = blocks;
  return NVSHMEMX_SUCCESS;
}

int nvshmemx_collective_launch(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  uint64_t site = SHMEMU_SITE();
  shmem_pe("nvshmemx_collective_launch", site);
  int limit = resident_blocks(stub, block, shared);
  if (!limit) return NVSHMEMX_ERROR_INVALID_VALUE;
  if (grid.x == 0 && grid.y == 0 && grid.z == 0) grid = dim3(static_cast<unsigned>(limit));  // 0: as many as fit
  uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  if (blocks > static_cast<uint64_t>(limit))
    broken_rule("launch.not-coresident", "nvshmemx_collective_launch", site, {},
                "{} blocks of {} threads do not fit the GPU at once; at most {} do ({} SMs)", blocks,
                block.x * block.y * block.z, limit, g_current.world->platform.gpu.sms);
  g_current.pe->cuda.launch_site = site;
  return launch_compiled(stub, grid, block, arguments, shared, stream, LaunchKind::collective) == cudaSuccess
             ? NVSHMEMX_SUCCESS
             : NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED;
}

}  // extern "C"
