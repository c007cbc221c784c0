#include "emu/core/symbols.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "emu/core/world.hpp"

extern char** environ;

namespace shmemu::emu {
namespace {

// Output of a command, empty if it cannot be run.
std::string output_of(std::vector<std::string> command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (auto& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; !failed && (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  if (!failed) waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

Symbols::Found Symbols::look_up(uint64_t site) const {
  // the site is a return address: one byte before it lies in the call
  std::istringstream lines(output_of({"addr2line", "-i", "-e", program_.string(), fmt::format("{:#x}", site - 1)}));
  Found best;
  for (std::string line; std::getline(lines, line);) {
    if (size_t extra = line.find(" (discriminator"); extra != std::string::npos) line.resize(extra);
    if (line.starts_with("??")) continue;
    std::error_code ignored;
    std::filesystem::path path(line.substr(0, line.rfind(':')));
    auto normal = std::filesystem::weakly_canonical(path, ignored);
    auto ours = std::filesystem::weakly_canonical(include_folder_, ignored);
    if (!include_folder_.empty() && normal.string().starts_with(ours.string())) continue;
    bool merged = line.ends_with(":?") || line.ends_with(":0");  // by the optimiser, from calls on several lines
    best.text = path.filename().string() + (merged ? " (one of several calls)" : line.substr(line.rfind(':')));
    best.line = {path.string(), merged ? 0 : std::atoi(line.c_str() + line.rfind(':') + 1)};
    if (!merged) break;
  }
  return best;
}

std::string Symbols::site(PeId, uint64_t site) const {
  if (site == 0) return "a call of the runtime";
  const std::string& text = found(site).text;
  return text.empty() ? fmt::format("{}+{:#x}", program_.filename().string(), site) : text;
}

SourceLine Symbols::line(uint64_t site) const { return site ? found(site).line : SourceLine{}; }

const Symbols::Found& Symbols::found(uint64_t site) const {
  auto [at, fresh] = cache_.try_emplace(site);
  if (fresh) at->second = look_up(site);
  return at->second;
}

std::string Symbols::address(PeId, uint64_t address) const {
  auto name = [&](const Arena& arena, const char* owner) -> std::string {
    int slot = arena.slot_of(address);
    const Allocation* a = arena.find(address);
    uint64_t offset = address - arena.base(slot);
    if (a && offset < a->offset + std::max<uint64_t>(a->bytes, 1))
      return fmt::format("{} #{} of {} {} ({}, {}) + {}", a->what, a->number, owner, slot, bytes_to_text(a->bytes),
                         site(PeId{slot}, a->site), offset - a->offset);
    if (const Allocation* freed = arena.last_released(address))
      return fmt::format("{} #{} of {} {} ({}, {}), already freed, + {}", freed->what, freed->number, owner, slot,
                         bytes_to_text(freed->bytes), site(PeId{slot}, freed->site), offset - freed->offset);
    if (a)
      return fmt::format("{:#x}, {} B beyond the end of {} #{} of {} {} ({}, {})", address,
                         offset - a->offset - a->bytes, a->what, a->number, owner, slot, bytes_to_text(a->bytes),
                         site(PeId{slot}, a->site));
    return fmt::format("{:#x}, in no allocation of {} {}", address, owner, slot);
  };
  if (world_.heap.contains(address)) return name(world_.heap, "PE");
  if (world_.device_memory.contains(address)) return name(world_.device_memory, "GPU");
  return fmt::format("{:#x} (host memory)", address);
}

}  // namespace shmemu::emu
