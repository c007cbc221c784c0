#include "emu/api/checks.hpp"

#include "emu/core/broken_rule.hpp"

namespace shmemu::emu {

Pe& shmem_pe(const char* call, uint64_t site) {
  Pe& pe = *g_current.pe;
  if (!pe.shmem.initialised)
    program_error(site, "{} was called {}", call,
                  pe.shmem.finalised ? "after nvshmem_finalize" : "before nvshmem_init; initialise NVSHMEM first");
  return pe;
}

PeId checked_pe(int pe, const char* call, uint64_t site) {
  const std::vector<PeId>& members = shmem_pe(call, site).shmem.job->members;
  int n = static_cast<int>(members.size());
  if (pe < 0 || pe >= n) program_error(site, "{}: PE {} does not exist; the run has PEs 0 to {}", call, pe, n - 1);
  return members[static_cast<size_t>(pe)];
}

bool is_static_symmetric(const Pe& pe, const volatile void* p, uint64_t bytes) {
  uint64_t offset = reinterpret_cast<uint64_t>(p) - pe.copy.base, span = pe.world.image_span();
  return pe.shmem.static_symmetric && reinterpret_cast<uint64_t>(p) >= pe.copy.base && offset < span &&
         bytes <= span - offset;
}

namespace {

std::string mapping_error(const World& world, int owner, uint64_t address, const char* argument) {
  return fmt::format(
      "{} is the copy of PE {} as mapped here ({}); pass your own symmetric address, the library adds the offset",
      argument, owner, world.symbols.address(g_current.pe->id, address));
}

uint64_t symmetric_offset(const volatile void* p, uint64_t bytes, const char* call, const char* argument,
                          uint64_t site) {
  World& world = *g_current.world;
  PeId me = g_current.pe->id;
  auto address = reinterpret_cast<uint64_t>(p);
  if (bytes > world.heap.stride())
    program_error(site, "{}: {} B is more than the symmetric heap; the size may be a negative number", call, bytes);
  if (world.heap.contains(address)) {
    int owner = world.heap.slot_of(address);
    if (owner != me.value)
      broken_rule("sym.peer-mapping", call, site, allocation_of(world, address), "{}",
                  mapping_error(world, owner, address, argument));
    if (world.heap.valid(address, bytes)) return address - world.heap.base(owner);
    const Allocation* a = world.heap.find(address);
    uint64_t offset = address - world.heap.base(owner);
    if (a && world.options.check && offset + bytes <= a->offset + FirstFit::rounded(a->bytes) &&
        offset < a->offset + a->bytes) {  // what lies behind belongs to nobody: go on
      bool word = bytes <= 8;
      note_broken({word ? "type.width" : "sym.not-symmetric", call, site,
                   word ? fmt::format("{} is {} B wide, {} reaches {} B beyond it", argument, a->bytes, call,
                                      offset + bytes - a->offset - a->bytes)
                        : fmt::format("{} B at {} run {} B beyond the allocation", bytes, argument,
                                      offset + bytes - a->offset - a->bytes),
                   world.symbols.address(me, address), "use the type that was allocated",
                   allocation_of(world, address)});
      return offset;
    }
    if (a && offset < a->offset + a->bytes)
      program_error(site, "{}: {} B at {} run {} B beyond the end of {}; the allocation is too small", call, bytes,
                    argument, offset + bytes - a->offset - a->bytes, world.symbols.address(me, address));
    if (world.heap.last_released(address))
      broken_rule("sym.use-after-free", call, site, allocation_of(world, address), "{} is {}", argument,
                  world.symbols.address(me, address));
    broken_rule("sym.not-symmetric", call, site, {}, "{} is {}", argument, world.symbols.address(me, address));
  }
  if (!address) broken_rule("sym.not-symmetric", call, site, {}, "{} is a null pointer", argument);
  broken_rule("sym.not-symmetric", call, site, allocation_of(world, address),
              "{} is {}, not symmetric memory; allocate it with nvshmem_malloc on all PEs", argument,
              world.symbols.address(me, address));
}

}  // namespace

uint64_t translate(const void* address, uint64_t bytes, PeId target, const char* call, const char* argument,
                   uint64_t site) {
  if (is_static_symmetric(*g_current.pe, address, bytes))
    return reinterpret_cast<uint64_t>(address) - g_current.pe->copy.base +
           g_current.world->all_pes[static_cast<size_t>(target.value)]->copy.base;
  return g_current.world->heap.base(target.value) + symmetric_offset(address, bytes, call, argument, site);
}

bool is_astray(const void* p, uint64_t bytes, PeId target, const char* call, const char* argument, uint64_t site) {
  World& world = *g_current.world;
  PeId me = g_current.pe->id;
  auto address = reinterpret_cast<uint64_t>(p);
  if (address - world.heap.base(me.value) < world.heap.stride() || !world.heap.contains(address)) return false;
  int owner = world.heap.slot_of(address);
  if (!world.astray)
    world.astray.emplace().error = fmt::format("{}: sym.peer-mapping: {}: {} ({})", who(), call,
                                               mapping_error(world, owner, address, argument), describe_site(site));
  uint64_t hit = world.heap.base(target.value) + address - world.heap.base(me.value);
  std::string goes = fmt::format(
      "{} B to {}", bytes,
      world.heap.contains(hit) ? world.symbols.address(me, hit) : fmt::format("{:#x}, outside of all heaps", hit));
  if (note_broken({"sym.peer-mapping", call, site,
                   fmt::format("{} is the copy of PE {} as mapped here, so it is translated twice; the write is lost",
                               argument, owner),
                   fmt::format("{}; the library would write {}", world.symbols.address(me, address), goes),
                   "pass your own symmetric address, the library adds the offset", allocation_of(world, address)}))
    world.astray->writes.push_back(
        fmt::format("{} wrote {} instead, by {} {}", who(), goes, call, describe_site(site)));
  return true;
}

uint64_t own_symmetric(const volatile void* address, uint64_t bytes, const char* call, const char* argument,
                       uint64_t site) {
  shmem_pe(call, site);
  if (!is_static_symmetric(*g_current.pe, address, bytes)) symmetric_offset(address, bytes, call, argument, site);
  return reinterpret_cast<uint64_t>(address);
}

void checked_local(const void* address, uint64_t bytes, const char* call, const char* argument, uint64_t site) {
  if (!bytes) return;
  World& world = *g_current.world;
  auto a = reinterpret_cast<uint64_t>(address);
  if (!a) program_error(site, "{}: {} is a null pointer", call, argument);
  const Arena* arena = world.heap.contains(a)            ? &world.heap
                       : world.device_memory.contains(a) ? &world.device_memory
                                                         : nullptr;
  if (arena && !arena->valid(a, bytes))
    program_error(site, "{}: {} B at {} reach outside their allocation: {}", call, bytes, argument,
                  world.symbols.address(g_current.pe->id, a + bytes));
}

namespace {

bool symmetric_or_registered(const Pe& pe, const void* address, uint64_t bytes) {
  auto a = reinterpret_cast<uint64_t>(address);
  if (pe.shmem.static_symmetric || pe.world.heap.contains(a)) return true;
  auto at = pe.shmem.registered.upper_bound(a);
  if (at == pe.shmem.registered.begin()) return false;
  --at;
  return a - at->first <= at->second && bytes <= at->second - (a - at->first);
}

std::string kind_of_memory(uint64_t address) {
  const World& world = *g_current.world;
  return world.device_memory.contains(address) || !on_device() ? world.symbols.address(g_current.pe->id, address)
                                                               : "a variable of the thread";
}

}  // namespace

void checked_local(const void* address, uint64_t bytes, PeId target, const char* call, const char* argument,
                   uint64_t site) {
  checked_local(address, bytes, call, argument, site);
  const Pe& pe = *g_current.pe;
  if (!bytes || target == pe.id || symmetric_or_registered(pe, address, bytes)) return;
  auto a = reinterpret_cast<uint64_t>(address);
  bool reached = pe.world.router.load_store(pe.id, target);
  std::string what = fmt::format("{} is {}, neither symmetric nor registered", argument, kind_of_memory(a));
  const char* remedy = "allocate it with nvshmem_malloc, or register it with nvshmemx_buffer_register";
  if (!reached && !pe.world.options.check)
    broken_rule("sym.not-symmetric", call, site, allocation_of(pe.world, a),
                "{}: the network adapter cannot reach it on the way to PE {}; {}", what, target.value, remedy);
  note_broken(
      {"sym.not-symmetric", call, site, std::move(what),
       reached ? fmt::format("loads and stores reach PE {}, so it works here; over a network it does not", target.value)
               : fmt::format("the network adapter cannot reach it on the way to PE {}", target.value),
       remedy, allocation_of(pe.world, a), reached});
}

void checked_collective_buffer(const void* address, uint64_t bytes, const char* call, const char* argument,
                               uint64_t site) {
  const Pe& pe = *g_current.pe;
  auto a = reinterpret_cast<uint64_t>(address);
  if (!bytes || !a || pe.shmem.static_symmetric || pe.world.heap.contains(a)) return;
  note_broken({"sym.not-symmetric", call, site,
               fmt::format("{} of a collective is {}, not symmetric memory", argument, kind_of_memory(a)), "",
               "allocate it with nvshmem_malloc on all PEs", allocation_of(pe.world, a)});
}

}  // namespace shmemu::emu
