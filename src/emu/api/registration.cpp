// Registration of local buffers, multicast pointers, module hooks: calls that prepare hardware. Here every address can be
// a local operand, so registration checks its arguments and keeps the list that misuse is judged by.
#include <map>

#include "emu/api/checks.hpp"
#include "shmemu/nvshmem/types_constants.h"

using namespace shmemu;
using namespace shmemu::emu;

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

// Placing the program's own memory in the symmetric heap needs the two to alias; that is not emulated, and pretending
// would give wrong data.
void* nvshmemx_buffer_register_symmetric(void*, size_t, int) {
  program_error(SHMEMU_SITE(), "nvshmemx_buffer_register_symmetric is not emulated; allocate with nvshmem_malloc instead");
}
int nvshmemx_buffer_unregister_symmetric(void*, size_t) {
  program_error(SHMEMU_SITE(), "nvshmemx_buffer_unregister_symmetric of memory that was never registered");
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
