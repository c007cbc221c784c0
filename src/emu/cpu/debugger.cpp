// What tools/gdb/shmemu_gdb.py asks the running program: who stands where, and where the stack of a suspended thread
// is. C functions without types of ours, so that a debugger can call them in a build without debugging information.
// Called while the whole process is stopped; changes nothing.
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "emu/core/current.hpp"
#include "emu/core/world.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

uint64_t address_of(const Pe& pe, uint64_t site) { return site ? pe.copy.base + site - 1 : 0; }

device::Dim3 place_in(const device::Dim3& shape, uint32_t i) {
  return {i % shape.x, i / shape.x % shape.y, i / (shape.x * shape.y)};
}

const device::Lane* find_lane(const World& world, int pe, unsigned kernel, unsigned block, unsigned thread) {
  const device::Lane* found = nullptr;
  world.machine.for_each_waiting([&](const device::Actor& actor, const device::Grid* grid) {
    if (!grid || actor.pe.value != pe || grid->number != kernel) return;
    auto& lane = static_cast<const device::Lane&>(actor);
    if (lane.warp->cta->index == block && lane.thread == thread) found = &lane;
  });
  return found;
}

// rsp, rip, rbp, rbx, r12 … r15 as Boost.Context 1.74 to 1.86 saves them for System V x86-64 (jump_fcontext).
const uint64_t* registers_of(const Fiber& fiber) {
  static uint64_t registers[8];
  auto saved = static_cast<const char*>(fiber.saved());
  if (!saved || fiber.finished()) return nullptr;
  auto word = [&](int offset) {
    uint64_t value;
    std::memcpy(&value, saved + offset, sizeof value);
    return value;
  };
  constexpr int kBehind = 0x40, kReturn = 0x38, kRbp = 0x30, kRbx = 0x28, kR12 = 0x8;
  registers[0] = reinterpret_cast<uint64_t>(saved) + kBehind;
  registers[1] = word(kReturn);
  registers[2] = word(kRbp);
  registers[3] = word(kRbx);
  for (int i = 0; i < 4; ++i) registers[4 + i] = word(kR12 + 8 * i);
  return registers;
}

}  // namespace

extern "C" {

// One line for each actor that has begun and not ended: "host PE operation address" or
// "thread PE kernel block thread operation address name"; the one that runs now begins with '*'.
const char* __shmemu_debug_list() {
  static std::string text;
  text.clear();
  if (!g_current.world) return text.c_str();
  World& world = *g_current.world;
  for (auto& pe : world.all_pes)
    if (&pe->host == g_current.actor) text += fmt::format("* host {} running 0\n", pe->id.value);
  if (g_current.cta)
    text += fmt::format("* thread {} {} {} {} running 0 {}\n", g_current.pe->id.value, g_current.cta->grid->number,
                        g_current.cta->index, g_current.lane ? g_current.lane->thread : 0u,
                        g_current.cta->grid->launch.name);
  world.machine.for_each_waiting([&](const device::Actor& actor, const device::Grid* grid) {
    if (&actor == g_current.actor || actor.state == device::Actor::State::fresh) return;
    const Pe& pe = *world.all_pes[static_cast<size_t>(actor.pe.value)];
    uint64_t at = address_of(pe, actor.stop.site);
    if (!grid) {
      text += fmt::format("  host {} {} {:#x}\n", actor.pe.value, name_of(actor.stop.kind), at);
      return;
    }
    auto& lane = static_cast<const device::Lane&>(actor);
    text += fmt::format("  thread {} {} {} {} {} {:#x} {}\n", actor.pe.value, grid->number, lane.warp->cta->index,
                        lane.thread, name_of(actor.stop.kind), at, grid->launch.name);
  });
  return text.c_str();
}

// Registers of a suspended thread, or null: it runs, has not begun, or has ended.
const uint64_t* __shmemu_debug_thread(int pe, unsigned kernel, unsigned block, unsigned thread) {
  if (!g_current.world) return nullptr;
  const device::Lane* lane = find_lane(*g_current.world, pe, kernel, block, thread);
  if (!lane || lane == g_current.actor || !lane->context) return nullptr;
  return registers_of(*static_cast<const Worker*>(lane->context)->fiber);
}

const uint64_t* __shmemu_debug_host(int pe) {
  if (!g_current.world || pe < 0 || pe >= g_current.world->pes()) return nullptr;
  const Pe& asked = *g_current.world->all_pes[static_cast<size_t>(pe)];
  if (&asked.host == g_current.actor || asked.host.state == device::Actor::State::done || !asked.fiber) return nullptr;
  return registers_of(*asked.fiber);
}

// 't' threadIdx, 'b' blockIdx of the thread that runs now, 'p' its PE; -1 on the host.
int __shmemu_debug_index(char what, int axis) {
  if (!g_current.pe) return -1;
  if (what == 'p') return g_current.pe->id.value;
  if (!g_current.cta) return -1;
  const device::Launch& l = g_current.cta->grid->launch;
  uint32_t thread = g_current.lane ? g_current.lane->thread : 0;
  if (!g_current.lane && __shmemu_thread)
    return static_cast<int>(what == 't' ? __shmemu_thread->tid[axis] : __shmemu_thread->block->ctaid[axis]);
  device::Dim3 at = what == 't' ? place_in(l.block, thread) : place_in(l.grid, g_current.cta->index);
  return static_cast<int>(axis == 0 ? at.x : axis == 1 ? at.y : at.z);
}

}  // extern "C"
