// The deadlock report: for each waiting thread the call and its source line, the address as allocation + offset, the
// wanted condition, the present value and the last writer. Threads that wait alike are one line.
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "device/atomics.hpp"
#include "device/machine.hpp"

namespace shmemu::device {
namespace {

constexpr const char* kComparisons[] = {"==", "!=", ">", "<=", "<", ">="};
constexpr size_t kMostLines = 64;
constexpr int kMostEnded = 16;

}  // namespace

void Machine::for_each_waiting(const std::function<void(const Actor&, const Grid*)>& f) const {
  for (auto& [host, program] : hosts_)
    if (host->state != Actor::State::done) f(*host, nullptr);
  for (auto& grid : grids_)
    for (auto& cta : grid->live)
      for (const Lane& lane : cta->threads)
        if (lane.state == Actor::State::stopped) f(lane, grid.get());
}

void Machine::for_each_unplaced(const std::function<void(const Grid&)>& f) const {
  for (auto& grid : grids_)
    if (grid->next_block < grid->blocks()) f(*grid);
}

std::optional<std::pair<PeId, uint64_t>> Machine::last_writer(uint64_t address) const {
  auto at = last_write_.find(address / WatchTable::kLine);
  if (at == last_write_.end()) return {};
  return std::pair{at->second.issuer, at->second.site};
}

std::string Machine::waiting_report() const {
  auto site = [&](PeId pe, uint64_t s) {
    return options_.namer ? options_.namer->site(pe, s) : fmt::format("site {:#x}", s);
  };
  auto address = [&](PeId pe, uint64_t a) {
    return options_.namer ? options_.namer->address(pe, a) : fmt::format("{:#x}", a);
  };
  auto word = [&](uint64_t a, uint64_t bytes) -> std::string {
    const std::byte* p = memory_.at(a, bytes);
    return p ? std::to_string(static_cast<int64_t>(load_bits(p, bytes))) : "unknown";
  };
  auto writer = [&](uint64_t a) -> std::string {
    auto at = last_write_.find(a / WatchTable::kLine);
    if (at == last_write_.end()) return "nobody has written it";
    const LastWrite& w = at->second;
    return fmt::format("last written by PE {} ({}) at {} in {}", w.issuer.value,
                       w.kind == OpKind::order ? "store or atomic" : name_of(w.kind), to_text(w.when),
                       site(w.issuer, w.site));
  };
  auto what = [&](const Actor& a) -> std::string {
    const Op& op = a.stop;
    switch (op.kind) {
      case OpKind::wait:
        return fmt::format("waits at {} for {} {} {}; it is {}; {}", site(a.pe, op.site), address(a.pe, op.remote),
                           kComparisons[op.function], static_cast<int64_t>(op.value), word(op.remote, op.bytes),
                           writer(op.remote));
      case OpKind::wait_set:
        return fmt::format("waits at {} for {} of {} words from {}", site(a.pe, op.site),
                           op.flags == 0 ? "all" : "some", op.elements, address(a.pe, op.remote));
      case OpKind::test:
      case OpKind::poll:
        if (!op.remote) return fmt::format("spins at {} on memory that nobody changes", site(a.pe, op.site));
        return fmt::format("spins at {} on {}, which stays {}; {}", site(a.pe, op.site), address(a.pe, op.remote),
                           word(op.remote, op.bytes), writer(op.remote));
      case OpKind::barrier:
        return fmt::format("waits at {} in __syncthreads for threads that do not come", site(a.pe, op.site));
      case OpKind::warp:
        return fmt::format("waits at {} in a warp operation with mask {:#010x} for lanes that do not come",
                           site(a.pe, op.site), static_cast<uint32_t>(op.value));
      case OpKind::grid_sync:
        return fmt::format("waits at {} in a grid barrier for threads that do not come", site(a.pe, op.site));
      case OpKind::stream_wait:
        return fmt::format("waits at {} for work on the GPU to end", site(a.pe, op.site));
      default:
        return fmt::format("stands in {} at {}{}", name_of(op.kind), site(a.pe, op.site),
                           op.scope == Scope::thread ? "" : ", which not all threads of the group have called");
    }
  };
  // equal texts of one kernel (or of one PE) are one line
  std::vector<std::pair<std::string, std::string>> lines;  // who, what
  std::map<std::string, size_t> seen;
  std::vector<uint32_t> counts;
  auto add = [&](std::string key, std::string who, std::string text) {
    auto [at, fresh] = seen.try_emplace(key + text, lines.size());
    if (fresh) {
      lines.emplace_back(std::move(who), std::move(text));
      counts.push_back(0);
    }
    ++counts[at->second];
  };
  for (auto& [host, program] : hosts_)
    if (host->state != Actor::State::done)
      add(fmt::format("h{}", host->pe.value), fmt::format("PE {} host", host->pe.value), what(*host));
  std::string ended;
  int count = 0;
  for (auto& [host, program] : hosts_)
    if (host->state == Actor::State::done && ++count <= kMostEnded) ended += fmt::format(" {}", host->pe.value);
  for (auto& grid : grids_) {
    for (auto& cta : grid->live)
      for (const Lane& lane : cta->threads) {
        if (lane.state != Actor::State::stopped) continue;
        add(fmt::format("{}/{}", grid->pe.value, grid->number),
            fmt::format("PE {} {} block {} thread {}", grid->pe.value, grid->launch.name, cta->index, lane.thread),
            what(lane));
      }
    if (grid->next_block < grid->blocks())
      add(fmt::format("g{}/{}", grid->pe.value, grid->number),
          fmt::format("PE {} {}", grid->pe.value, grid->launch.name),
          fmt::format("has {} blocks that cannot become resident: the GPU holds {} blocks of this kernel at once, the "
                      "launch has {}",
                      grid->blocks() - grid->next_block,
                      Gpu::resident_limit(gpu_model_, grid->threads(), grid->launch.shared_bytes), grid->blocks()));
  }
  std::string out;
  for (size_t i = 0; i < lines.size() && i < kMostLines; ++i)
    out += fmt::format("  {}{} {}\n", lines[i].first,
                       counts[i] > 1 ? fmt::format(" and {} more like it", counts[i] - 1) : "", lines[i].second);
  if (lines.size() > kMostLines) out += fmt::format("  … and {} more\n", lines.size() - kMostLines);
  if (count > kMostEnded) ended += fmt::format(" and {} more", count - kMostEnded);
  if (count) out += fmt::format("  already ended: PE{}\n", ended);
  return out;
}

}  // namespace shmemu::device
