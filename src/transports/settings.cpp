#include "transports/settings.hpp"

#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"

namespace shmemu {
namespace {

constexpr std::array<const char*, 5> kRemotes{"none", "ibrc", "ibdevx", "ucx", "libfabric"};
constexpr std::array<const char*, 3> kMaps{"cta", "sm", "warp"};

[[noreturn]] void refuse(const char* variable, const std::string& value, const std::string& remedy) {
  throw UserError(ExitCode::usage, fmt::format("{}={}: {}", variable, value, remedy));
}

// NVSHMEM's rule: 0, n, f and their capitals at the start mean no, any other text means yes.
bool flag(const char* text) {
  if (!text || !*text) return false;
  char first = static_cast<char>(std::tolower(static_cast<unsigned char>(*text)));
  return first != '0' && first != 'n' && first != 'f';
}

int number(const char* variable, const char* text, int otherwise, int least, int most) {
  if (!text) return otherwise;
  std::string_view given = text;
  int value = 0;
  auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error != std::errc() || end != given.data() + given.size() || value < least || value > most)
    refuse(variable, text, fmt::format("a whole number from {} to {} is expected", least, most));
  return value;
}

template <class Enum, size_t N>
Enum choice(const char* variable, const char* text, Enum otherwise, const std::array<const char*, N>& names) {
  if (!text) return otherwise;
  std::string given;
  for (const char* c = text; *c; ++c) given += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  for (size_t i = 0; i < N; ++i)
    if (given == names[i]) return static_cast<Enum>(i);
  refuse(variable, text, fmt::format("known: {}", fmt::join(names, ", ")));
}

}  // namespace

NvshmemSettings read_settings(const std::function<const char*(const char*)>& lookup) {
  NvshmemSettings s;
  auto get = [&](const char* name) { return lookup(name); };
  s.remote = choice("NVSHMEM_REMOTE_TRANSPORT", get("NVSHMEM_REMOTE_TRANSPORT"), s.remote, kRemotes);
  s.ibgda = flag(get("NVSHMEM_IB_ENABLE_IBGDA"));
  s.disable_p2p = flag(get("NVSHMEM_DISABLE_P2P"));
  s.disable_nvls = flag(get("NVSHMEM_DISABLE_NVLS"));
  s.max_teams = number("NVSHMEM_MAX_TEAMS", get("NVSHMEM_MAX_TEAMS"), s.max_teams, 6, 1024);
  s.map_by = choice("NVSHMEM_IBGDA_RC_MAP_BY", get("NVSHMEM_IBGDA_RC_MAP_BY"), s.map_by, kMaps);
  s.queues_per_pe = number("NVSHMEM_IBGDA_NUM_RC_PER_PE", get("NVSHMEM_IBGDA_NUM_RC_PER_PE"), s.queues_per_pe, 1, 4096);
  s.queue_depth = number("NVSHMEM_QP_DEPTH", get("NVSHMEM_QP_DEPTH"), s.queue_depth, 128, 32768);
  return s;
}

std::string name_of(NvshmemSettings::Remote remote) { return kRemotes[static_cast<size_t>(remote)]; }
std::string name_of(NvshmemSettings::MapBy map_by) { return kMaps[static_cast<size_t>(map_by)]; }

}  // namespace shmemu
