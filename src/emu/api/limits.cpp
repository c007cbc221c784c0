#include "emu/api/limits.hpp"

#include <array>
#include <cstdio>

#include "emu/api/checks.hpp"
#include "emu/core/broken_rule.hpp"

namespace shmemu::emu {
namespace {

struct Row {
  const char *calls, *where;
  const char* does[2];  // 3.3.9, 3.5
  const char* remedy;
};
constexpr Row kRows[] = {
#define LIMIT(name, calls, where, v3_3_9, v3_5, remedy) {calls, where, {v3_3_9, v3_5}, remedy},
#include "emu/api/limits.def"
#undef LIMIT
};
constexpr std::array<const char*, 2> kReleases{"3.3.9", "3.5"};

}  // namespace

bool unsupported(Limit limit, const char* call, const std::string& why, uint64_t site) {
  const Row& row = kRows[static_cast<size_t>(limit)];
  World& world = *g_current.world;
  const std::optional<Release>& as = world.options.as;
  const char* does = as ? row.does[static_cast<size_t>(*as)] : "";
  if (!*does) {
    if (!as && *row.does[1])
      note_broken({"plat.unsupported", call, site,
                   fmt::format("NVSHMEM 3.3.9 and 3.5 cannot do {} {}: {}", row.calls, row.where, row.does[1]), why,
                   row.remedy});
    return false;
  }
  const char* release = kReleases[static_cast<size_t>(*as)];
  if (limit == Limit::atomics_from_host) {
    std::fflush(stdout);
    fmt::print(stderr, "{}: {} from the host: not implemented in NVSHMEM {} ({})\n", who(), call, release,
               describe_site(site));
    return true;
  }
  program_error(site, "plat.unsupported: {}: in NVSHMEM {} {} ({} {}{}{}); {}", call, release, does, row.calls,
                row.where, why.empty() ? "" : ": ", why, row.remedy);
}

bool unsupported_over_network(Limit limit, const char* call, PeId target, uint64_t site) {
  World& world = *g_current.world;
  PeId me = g_current.pe->id;
  bool known = !world.options.as && world.broken_rules.contains({"plat.unsupported", false, site, 0});
  if (known || world.router.load_store(me, target)) return false;
  return unsupported(limit, call, world.router.why_no_load_store(me, target), site);
}

}  // namespace shmemu::emu
