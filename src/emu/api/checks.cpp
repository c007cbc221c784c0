#include "emu/api/checks.hpp"

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

std::string mapping_error(const World& world, int owner, uint64_t address, const char* call, const char* argument) {
  return fmt::format(
      "sym.peer-mapping: {}: {} is the copy of PE {} as mapped here ({}); pass your own symmetric address, the library "
      "adds the offset",
      call, argument, owner, world.symbols.address(g_current.pe->id, address));
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
    if (owner != me.value) program_error(site, "{}", mapping_error(world, owner, address, call, argument));
    if (world.heap.valid(address, bytes)) return address - world.heap.base(owner);
    const Allocation* a = world.heap.find(address);
    uint64_t offset = address - world.heap.base(owner);
    if (a && offset < a->offset + a->bytes)
      program_error(site, "{}: {} B at {} run {} B beyond the end of {}; the allocation is too small", call, bytes,
                    argument, offset + bytes - a->offset - a->bytes, world.symbols.address(me, address));
    if (world.heap.last_released(address))
      program_error(site, "sym.use-after-free: {}: {} is {}", call, argument, world.symbols.address(me, address));
    program_error(site, "sym.not-symmetric: {}: {} is {}", call, argument, world.symbols.address(me, address));
  }
  if (!address) program_error(site, "sym.not-symmetric: {}: {} is a null pointer", call, argument);
  program_error(site,
                "sym.not-symmetric: {}: {} is {}, not symmetric memory; allocate it with nvshmem_malloc on all PEs",
                call, argument, world.symbols.address(me, address));
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
    world.astray.emplace().error =
        fmt::format("{}: {} ({})", who(), mapping_error(world, owner, address, call, argument), describe_site(site));
  uint64_t hit = world.heap.base(target.value) + address - world.heap.base(me.value);
  std::string goes = fmt::format(
      "{} B to {}", bytes,
      world.heap.contains(hit) ? world.symbols.address(me, hit) : fmt::format("{:#x}, outside of all heaps", hit));
  if (report_finding("sym.peer-mapping", call, site,
                     fmt::format("{} is the copy of PE {} as mapped here, so it is translated twice; the write is lost",
                                 argument, owner),
                     fmt::format("{}; the library would write {}", world.symbols.address(me, address), goes),
                     "pass your own symmetric address, the library adds the offset"))
    world.astray->writes.push_back(
        fmt::format("{} wrote {} instead, by {} {}", who(), goes, call, describe_site(site)));
  return true;
}

bool report_finding(const char* rule, const char* call, uint64_t site, const std::string& what,
                    const std::string& values, const std::string& remedy) {
  World& world = *g_current.world;
  if (!world.reported.emplace(rule, site).second) return false;
  Finding f;
  f.rule = rule;
  f.what = what;
  f.values = values;
  f.remedy = remedy;
  SourceLine line = world.symbols.line(site);
  f.first = {line.file, line.line, who(), call};
  world.report.findings.add(std::move(f));
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

}  // namespace shmemu::emu
