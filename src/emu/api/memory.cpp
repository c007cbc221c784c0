// The symmetric heap: allocation by all PEs together, nvshmem_ptr (NVSHMEM 3.3.9, memory management chapter).
#include <algorithm>
#include <cstring>
#include <string_view>

#include "emu/api/checks.hpp"
#include "emu/api/collectives.hpp"
#include "emu/api/memory.hpp"
#include "emu/core/broken_rule.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

// All PEs must make the same collective allocations in the same order: the n-th calls are compared. Under --check the
// run goes on after other sizes, as on hardware: later blocks may then lie elsewhere on other PEs.
// Returns what the first one has asked for.
uint64_t agree(Pe& pe, const char* what, uint64_t argument, uint64_t site) {
  auto& calls = pe.shmem.job->collective_calls;
  uint32_t n = pe.shmem.collective_calls++;
  if (n == calls.size()) {
    calls.push_back({what, argument, pe.id, site});
    return argument;
  }
  const Job::CollectiveCall& first = calls[n];
  if (std::strcmp(first.what, what) == 0 && first.argument == argument) return argument;
  Elsewhere other{first.first, first.site, first.what, ""};
  auto said = [](std::string_view call, uint64_t value) {
    return call.ends_with("free") ? fmt::format("{} of block {}", call, value)
                                  : fmt::format("{} with {} B", call, value);
  };
  std::string text =
      fmt::format("collective allocation {}: here {}, on PE {} {} ({})", n, said(what, argument), first.first.value,
                  said(first.what, first.argument), pe.world.symbols.site(first.first, first.site));
  if (pe.world.options.check && std::strcmp(first.what, what) == 0) {
    note_broken({"sym.asymmetric-alloc", what, site, std::move(text), "",
                 "every PE must allocate the same sizes in the same order", std::move(other)});
    return first.argument;
  }
  broken_rule("sym.asymmetric-alloc", what, site, other, "{}; every PE must allocate the same sizes in the same order",
              text);
}

}  // namespace

namespace shmemu::emu {

void* allocate_symmetric(size_t bytes, size_t alignment, bool clear, const char* what, uint64_t site) {
  Pe& pe = shmem_pe(what, site);
  if (on_device()) program_error(site, "{} is a host function", what);
  if (bytes > pe.world.heap.stride())
    program_error(site, "{}: {} B do not fit the symmetric heap of {}; the size may be a negative number", what, bytes,
                  bytes_to_text(pe.world.heap.stride()));
  uint64_t of_others = agree(pe, what, bytes, site);
  // contents that come from elsewhere: of memory that is mapped twice, or of the old block
  bool contents = clear || std::string_view(what) == "nvshmemx_buffer_register_symmetric" ||
                  std::string_view(what) == "shmem_realloc";
  if (!bytes) {  // no action, unless the others allocate
    if (of_others) host_barrier(site, 0, what);
    return nullptr;
  }
  std::byte* p = pe.world.heap.allocate(pe.id.value, bytes, alignment, what, site);
  if (checks::Checker* checker = p ? pe.world.checker.get() : nullptr) {
    checker->allocated(reinterpret_cast<uint64_t>(p), bytes, contents);
    if (clear) checker->cleared(pe.id, reinterpret_cast<uint64_t>(p), bytes, site);
  }
  if (p && clear) std::memset(p, 0, bytes);
  if (of_others) host_barrier(site, 0, what);
  return p;
}

void free_symmetric(void* p, const char* what, uint64_t site) {
  Pe& pe = shmem_pe(what, site);
  if (!p) return;
  World& world = pe.world;
  auto address = reinterpret_cast<uint64_t>(p);
  const Allocation* a = world.heap.find(address);
  bool mine = world.heap.contains(address) && world.heap.slot_of(address) == pe.id.value;
  if (!mine || !a || world.heap.base(pe.id.value) + a->offset != address) {
    if (mine && world.heap.last_released(address))
      program_error(site, "{}: {} is freed twice", what, world.symbols.address(pe.id, address));
    program_error(site, "{}: {} was not returned by nvshmem_malloc on this PE", what,
                  world.symbols.address(pe.id, address));
  }
  agree(pe, what, a->number, site);
  host_barrier(site, 0, what);  // nobody uses it any more
  if (world.checker) world.checker->freed(pe.id, address, a->bytes, site);
  world.heap.release(address);
}

void* symmetric_pointer(const void* p, int pe_number, const char* call, uint64_t site) {
  PeId target = checked_pe(pe_number, call, site);
  World& world = *g_current.world;
  PeId me = g_current.pe->id;
  auto address = reinterpret_cast<uint64_t>(p);
  if (is_static_symmetric(*g_current.pe, p, 1) && world.router.load_store(me, target))
    return reinterpret_cast<void*>(translate(p, 1, target, call, "the address", site));
  if (!world.heap.contains(address) || world.heap.slot_of(address) != me.value) return nullptr;
  if (!world.router.load_store(me, target)) {
    g_current.pe->shmem.refused = {target, site};
    return nullptr;
  }
  g_current.pe->shmem.holds_peer_addresses |= target != me;
  return reinterpret_cast<void*>(world.heap.base(target.value) + address - world.heap.base(me.value));
}

}  // namespace shmemu::emu

extern "C" {

void* nvshmem_malloc(size_t bytes) { return allocate_symmetric(bytes, 0, false, "nvshmem_malloc", SHMEMU_SITE()); }

void* nvshmem_calloc(size_t count, size_t size) {
  uint64_t site = SHMEMU_SITE();
  if (size && count > SIZE_MAX / size) program_error(site, "nvshmem_calloc: {} × {} B is too large", count, size);
  return allocate_symmetric(count * size, 0, true, "nvshmem_calloc", site);
}

void* nvshmem_align(size_t alignment, size_t bytes) {
  uint64_t site = SHMEMU_SITE();
  if (!alignment || alignment & (alignment - 1) || alignment % sizeof(void*))
    program_error(site, "nvshmem_align: alignment {} must be a power of two and a multiple of {}", alignment,
                  sizeof(void*));
  return allocate_symmetric(bytes, alignment, false, "nvshmem_align", site);
}

void nvshmem_free(void* p) { free_symmetric(p, "nvshmem_free", SHMEMU_SITE()); }

void* nvshmem_ptr(const void* p, int pe) { return symmetric_pointer(p, pe, "nvshmem_ptr", SHMEMU_SITE()); }

}  // extern "C"
