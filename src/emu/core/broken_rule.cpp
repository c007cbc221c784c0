#include "emu/core/broken_rule.hpp"

#include "emu/core/world.hpp"

namespace shmemu::emu {

Elsewhere allocation_of(const World& world, uint64_t address) {
  for (const Arena* arena : {&world.heap, &world.device_memory}) {
    if (!arena->contains(address)) continue;
    const Allocation* a = arena->find(address);
    if (const Allocation* freed = arena->last_released(address); freed && !arena->valid(address, 1)) a = freed;
    PeId owner = arena == &world.heap ? PeId{arena->slot_of(address)} : g_current.pe ? g_current.pe->id : PeId{0};
    if (a) return {owner, a->site, a->what, ""};
  }
  return {};
}

bool note_broken(const BrokenRule& b) {
  World& world = *g_current.world;
  auto [known, fresh] = world.broken_rules.try_emplace({b.rule, b.note, b.site, b.other.site});
  if (!fresh) {
    world.report.findings.count_again(known->second);
    return false;
  }
  Finding f;
  f.rule = b.rule;
  f.note = b.note;
  f.what = b.what;
  f.values = b.values;
  f.remedy = b.remedy;
  SourceLine line = world.symbols.line(b.site);
  f.first = {line.file, line.line, who(), b.call};
  if (b.other.site) {
    SourceLine other = world.symbols.line(b.other.site);
    f.second = {other.file, other.line, b.other.who.empty() ? fmt::format("PE {} host", b.other.pe.value) : b.other.who,
                b.other.call};
  } else {
    f.second = f.first;
  }
  known->second = world.report.findings.add(std::move(f));
  return true;
}

}  // namespace shmemu::emu
