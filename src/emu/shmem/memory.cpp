// OpenSHMEM 1.5, 9.3: the symmetric heap, shared with NVSHMEM's.
#include <algorithm>
#include <cstring>

#include "emu/api/checks.hpp"
#include "emu/api/memory.hpp"
#include "shmem.h"

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

void* shmem_malloc(size_t bytes) { return allocate_symmetric(bytes, 0, false, "shmem_malloc", SHMEMU_SITE()); }
void* shmem_malloc_with_hints(size_t bytes, long) {
  return allocate_symmetric(bytes, 0, false, "shmem_malloc_with_hints", SHMEMU_SITE());
}

void* shmem_calloc(size_t count, size_t size) {
  uint64_t site = SHMEMU_SITE();
  if (size && count > SIZE_MAX / size) program_error(site, "shmem_calloc: {} × {} B is too large", count, size);
  return allocate_symmetric(count * size, 0, true, "shmem_calloc", site);
}

void* shmem_align(size_t alignment, size_t bytes) {
  uint64_t site = SHMEMU_SITE();
  if (!alignment || alignment & (alignment - 1))
    program_error(site, "shmem_align: alignment {} must be a power of two", alignment);
  return allocate_symmetric(bytes, std::max(alignment, sizeof(void*)), false, "shmem_align", site);
}

// A new block with the old contents; the old one is freed. NULL grows from nothing, 0 bytes frees.
void* shmem_realloc(void* old, size_t bytes) {
  uint64_t site = SHMEMU_SITE();
  if (!old) return allocate_symmetric(bytes, 0, false, "shmem_realloc", site);
  if (!bytes) {
    free_symmetric(old, "shmem_realloc", site);
    return nullptr;
  }
  Pe& pe = shmem_pe("shmem_realloc", site);
  const Allocation* a = pe.world.heap.contains(reinterpret_cast<uint64_t>(old))
                            ? pe.world.heap.find(reinterpret_cast<uint64_t>(old))
                            : nullptr;
  size_t kept = a ? std::min<size_t>(a->bytes, bytes) : 0;
  void* fresh = allocate_symmetric(bytes, 0, false, "shmem_realloc", site);
  if (!fresh) return nullptr;
  std::memcpy(fresh, old, kept);
  free_symmetric(old, "shmem_realloc", site);
  return fresh;
}

void shmem_free(void* p) { free_symmetric(p, "shmem_free", SHMEMU_SITE()); }

void* shmem_ptr(const void* p, int pe) { return symmetric_pointer(p, pe, "shmem_ptr", SHMEMU_SITE()); }

}  // extern "C"
