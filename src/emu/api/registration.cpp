// Registration of local buffers, multicast pointers, module hooks: calls that prepare hardware. Here every address can be
// a local operand, so registration checks its arguments and keeps the list that misuse is judged by.
#include <map>

#include "emu/api/checks.hpp"
#include "emu/api/collectives.hpp"
#include "emu/api/memory.hpp"
#include "emu/cuda/runtime_state.hpp"
#include "emu/cuda/virtual_memory.hpp"
#include "shmemu/nvshmem/types_constants.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

struct SymmetricBuffers {
  std::map<void*, size_t> bytes;  // by heap address
};

}  // namespace

extern "C" {

int nvshmemx_buffer_register(void* address, size_t bytes) {
  Pe& pe = shmem_pe("nvshmemx_buffer_register", SHMEMU_SITE());
  auto a = reinterpret_cast<uint64_t>(address);
  if (!a || !bytes || pe.world.heap.contains(a)) return NVSHMEMX_ERROR_INVALID_VALUE;
  for (auto& [start, size] : pe.shmem.registered)
    if (a < start + size && start < a + bytes) return NVSHMEMX_ERROR_INVALID_VALUE;  // overlaps another registration
  pe.shmem.registered[a] = bytes;
  return NVSHMEMX_SUCCESS;
}

int nvshmemx_buffer_unregister(void* address) {
  Pe& pe = shmem_pe("nvshmemx_buffer_unregister", SHMEMU_SITE());
  return pe.shmem.registered.erase(reinterpret_cast<uint64_t>(address)) ? NVSHMEMX_SUCCESS : NVSHMEMX_ERROR_INVALID_VALUE;
}

void nvshmemx_buffer_unregister_all() { shmem_pe("nvshmemx_buffer_unregister_all", SHMEMU_SITE()).shmem.registered.clear(); }

// Memory of the driver's virtual memory management becomes a part of the heap: the same bytes under a second address,
// which is the same offset on all PEs. Collective. Null for other memory, as in NVSHMEM 3.3.9.
void* nvshmemx_buffer_register_symmetric(void* buffer, size_t bytes, int flags) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("nvshmemx_buffer_register_symmetric", site);
  auto address = reinterpret_cast<uint64_t>(buffer);
  if (flags || !bytes || !is_created_memory(pe, address, bytes)) return nullptr;
  constexpr uint64_t kGranularity = 2 << 20;  // of the driver's mappings
  if (bytes % kGranularity) return nullptr;
  void* place = allocate_symmetric(bytes, kGranularity, false, "nvshmemx_buffer_register_symmetric", site);
  if (!place) return nullptr;
  map_again(pe, address, bytes, reinterpret_cast<uint64_t>(place));
  kept<SymmetricBuffers>(pe).bytes[place] = bytes;
  host_barrier(site, 0, "nvshmemx_buffer_register_symmetric");
  return place;
}

int nvshmemx_buffer_unregister_symmetric(void* place, size_t bytes) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("nvshmemx_buffer_unregister_symmetric", site);
  auto& registered = kept<SymmetricBuffers>(pe).bytes;
  auto at = registered.find(place);
  if (at == registered.end() || at->second != bytes) return NVSHMEMX_ERROR_INVALID_VALUE;
  registered.erase(at);
  host_barrier(site, 0, "nvshmemx_buffer_unregister_symmetric");  // nobody uses it any more
  unmap_again(reinterpret_cast<uint64_t>(place), bytes);
  free_symmetric(place, "nvshmemx_buffer_unregister_symmetric", site);
  return NVSHMEMX_SUCCESS;
}

// Multicast memory (NVLS) is not modelled: no team has a multicast object, which NVSHMEM reports by a null pointer.
void* nvshmemx_mc_ptr(nvshmem_team_t, const void*) {
  shmem_pe("nvshmemx_mc_ptr", SHMEMU_SITE());
  return nullptr;
}

// Modules of the program share its device state; nothing has to be set up for them.
int nvshmemx_cumodule_init(struct CUmod_st*) { return NVSHMEMX_SUCCESS; }
int nvshmemx_cumodule_finalize(struct CUmod_st*) { return NVSHMEMX_SUCCESS; }
int nvshmemx_culibrary_init(struct CUlib_st*) { return NVSHMEMX_SUCCESS; }
int nvshmemx_culibrary_finalize(struct CUlib_st*) { return NVSHMEMX_SUCCESS; }

}  // extern "C"
