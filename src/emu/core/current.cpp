#include "emu/core/current.hpp"

#include <execinfo.h>

#include "emu/core/world.hpp"

namespace shmemu::emu {

Current g_current;

uint64_t site_of(const void* return_address) {
  if (!g_current.pe) return 0;
  auto address = reinterpret_cast<uint64_t>(return_address);
  uint64_t base = g_current.pe->copy.base;
  return address > base && address - base < (1ull << 32) ? address - base : g_current.native_site;
}

uint64_t site_on_stack() {
  void* frames[64];
  int n = backtrace(frames, 64);
  for (int i = 0; i < n; ++i)
    if (uint64_t site = site_of(frames[i])) return site;
  return 0;
}

uint64_t stop(Op op) {
  Current here = g_current;
  op.issuer = here.pe->id;
  here.actor->stop = op;
  Fiber::leave();
  return here.actor->result;
}

void post(Op op, Payload payload) {
  op.issuer = g_current.pe->id;
  // an adverse schedule may let any time pass between a posted call and the next instruction
  if (!g_current.lane || g_current.world->options.adverse || !g_current.world->machine.may_post(op)) {
    g_current.actor->given = std::move(payload);
    stop(op);
    return;
  }
  g_current.world->machine.post(*g_current.lane, op, std::move(payload));
}

std::string who() {
  if (!g_current.pe) return "shmemu";
  std::string text = fmt::format("PE {}", g_current.pe->id.value);
  if (!g_current.cta) return text;
  const device::Grid& grid = *g_current.cta->grid;
  const device::Dim3& g = grid.launch.grid;
  const device::Dim3& b = grid.launch.block;
  uint32_t i = g_current.cta->index;
  text += fmt::format(" kernel {} block ({},{},{})", grid.launch.name, i % g.x, i / g.x % g.y, i / (g.x * g.y));
  if (g_current.lane) {
    uint32_t t = g_current.lane->thread;
    text += fmt::format(" thread ({},{},{})", t % b.x, t / b.x % b.y, t / (b.x * b.y));
  }
  return text;
}

std::string describe_site(uint64_t site) {
  if (!g_current.pe) return "";
  return "at " + g_current.world->symbols.site(g_current.pe->id, site);
}

void fail(ExitCode code, const std::string& message) {
  if (!g_current.pe || (!g_current.actor && !g_current.cta)) throw UserError(code, message);  // not on a fiber
  if (!g_current.world->failure) g_current.world->failure.emplace(code, message);
  Fiber::leave();
  SHMEMU_ASSERT(false, "a failed fiber was entered again");
  std::abort();
}

}  // namespace shmemu::emu
