#include "traces/kineto.hpp"

#include <algorithm>
#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"

namespace shmemu::traces {
namespace {

using nlohmann::json;
using Interval = std::pair<double, double>;

// Template arguments of a demangled name, "(int)8" as "8".
std::vector<std::string> arguments_of(const std::string& name) {
  size_t open = name.find('<'), close = name.find('>', open);
  std::vector<std::string> out;
  if (open == std::string::npos || close == std::string::npos) return out;
  std::string inside = std::regex_replace(name.substr(open + 1, close - open - 1), std::regex("\\((int|bool)\\)"), "");
  std::stringstream text(inside);
  for (std::string one; std::getline(text, one, ',');) {
    one.erase(0, one.find_first_not_of(' '));
    out.push_back(one);
  }
  return out;
}

int number_of(const std::vector<std::string>& list, size_t i) {
  bool digits = i < list.size() && !list[i].empty() && list[i].size() < 7 &&
                list[i].find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::stoi(list[i]) : 0;
}

// Blocks in x of the kernel's grid; 0: unknown.
int grid_of(const json& event) {
  if (!event.contains("args") || !event["args"].contains("grid")) return 0;
  const json& grid = event["args"]["grid"];
  return grid.is_array() && !grid.empty() && grid[0].is_number() ? grid[0].get<int>() : 0;
}

// `deep_ep::` in the published library, `dpsk::ep::` in DeepSeek's own profiles.
std::string kind_of(const std::string& name) {
  auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (!has("deep_ep::") && !has("::ep::")) return has("nccl") ? "other communication" : "computing";
  if (has("get_dispatch_layout")) return "layout";
  if (has("cached_notify")) return "cached notify";
  if (has("notify_dispatch")) return "notify";
  if (has("::combine")) return "combine";
  if (!has("::dispatch")) return "other communication";
  std::vector<std::string> a = arguments_of(name);  // internode::dispatch<low latency mode, RDMA ranks, cached, …>
  bool cached = has("internode::dispatch") && a.size() > 2 && (a[2] == "true" || a[2] == "1");
  return cached ? "cached dispatch" : "dispatch";
}

// What the names and grids allow to assume.
void assume(Kineto& out, const std::string& kind, const std::string& name, int grid, int& layout_grid,
            std::vector<std::string>& layout) {
  if (kind == "layout") layout = arguments_of(name), layout_grid = grid;
  if (kind != "dispatch" && kind != "cached dispatch") return;
  out.sms_assumed = grid;
  if (name.find("internode::dispatch") != std::string::npos)
    if (int nodes = number_of(arguments_of(name), 1)) out.ranks_assumed = nodes * 8;
}

std::vector<Interval> merged(std::vector<Interval> all) {
  std::sort(all.begin(), all.end());
  std::vector<Interval> out;
  for (const Interval& i : all) {
    if (!out.empty() && i.first <= out.back().second)
      out.back().second = std::max(out.back().second, i.second);
    else
      out.push_back(i);
  }
  return out;
}

double length(const std::vector<Interval>& all) {
  double sum = 0;
  for (const Interval& i : all) sum += i.second - i.first;
  return sum;
}

double overlap(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  double sum = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum += std::max(0.0, std::min(a[i].second, b[j].second) - std::max(a[i].first, b[j].first));
    a[i].second < b[j].second ? ++i : ++j;
  }
  return sum;
}

}  // namespace

Kineto read_kineto(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw UserError(ExitCode::usage, fmt::format("cannot read '{}'", file.string()));
  json all;
  try {
    in >> all;
  } catch (const json::parse_error& e) {
    throw UserError(ExitCode::usage,
                    fmt::format("{}: no JSON at byte {}; the file may be cut off here", file.string(), e.byte));
  }
  const json& events = all.is_array() ? all : all.contains("traceEvents") ? all.at("traceEvents") : json();
  if (!events.is_array())
    throw UserError(ExitCode::usage, fmt::format("{}: no 'traceEvents' of a Kineto profile", file.string()));
  Kineto out;
  std::vector<Interval> communication, computing;
  double first = 0, last = 0;
  uint64_t without_time = 0;
  int layout_grid = 0;
  std::vector<std::string> layout;
  bool any = false;
  for (const json& e : events) {
    if (!e.is_object() || e.value("ph", "") != "X" || e.value("cat", "") != "kernel") continue;
    if (!e.contains("ts") || !e.contains("dur") || !e.at("ts").is_number() || !e.at("dur").is_number()) {
      ++without_time;
      continue;
    }
    double from = e.at("ts"), us = e.at("dur");
    std::string name = e.value("name", ""), kind = kind_of(name);
    assume(out, kind, name, grid_of(e), layout_grid, layout);
    int64_t stream = e.contains("args") && e["args"].contains("stream") && e["args"]["stream"].is_number_integer()
                         ? e["args"]["stream"].get<int64_t>()
                         : 0;
    out.kernels.push_back({kind, from, us, stream});
    KinetoKind& k = out.kinds[kind];
    ++k.kernels, k.total_us += us, k.longest_us = std::max(k.longest_us, us);
    (kind == "computing" ? computing : communication).emplace_back(from, from + us);
    first = any ? std::min(first, from) : from, last = any ? std::max(last, from + us) : from + us;
    any = true;
  }
  if (!any)
    throw UserError(
        ExitCode::usage,
        fmt::format("{}: no event of category 'kernel'; was the profile taken with CUDA activities?", file.string()));
  std::vector<Interval> wire = merged(std::move(communication)), compute = merged(std::move(computing));
  out.span_us = last - first, out.communication_us = length(wire), out.hidden_us = overlap(wire, compute);
  if (without_time)
    out.notes.push_back(fmt::format("{} kernels without start or duration were left out", without_time));
  std::stable_sort(out.kernels.begin(), out.kernels.end(),
                   [](const KinetoKernel& a, const KinetoKernel& b) { return a.from_us < b.from_us; });
  for (KinetoKernel& k : out.kernels) k.from_us -= first;
  if (all.is_object() && all.contains("distributedInfo") && all["distributedInfo"].contains("world_size") &&
      all["distributedInfo"]["world_size"].is_number_integer()) {
    out.ranks = all["distributedInfo"]["world_size"].get<int>();
    out.notes.push_back(fmt::format("the profile is of one of {} ranks (distributedInfo)", out.ranks));
  }
  if (out.ranks_assumed)
    out.notes.push_back(
        fmt::format("import.assumed: {} ranks: the template arguments of dispatch say {} nodes, and DeepEP's nodes "
                    "have 8 GPUs",
                    out.ranks_assumed, out.ranks_assumed / 8));
  // Its grid: blocks for so many experts each, then blocks for so many ranks each.
  int ranks = out.ranks ? out.ranks : out.ranks_assumed, per_block = number_of(layout, 1),
      ranks_of = number_of(layout, 2);
  if (ranks && per_block && ranks_of && layout_grid > (ranks + ranks_of - 1) / ranks_of) {
    out.experts_assumed = (layout_grid - (ranks + ranks_of - 1) / ranks_of) * per_block;
    out.notes.push_back(
        fmt::format("import.assumed: {} experts: the layout kernel has {} blocks of {} experts or {} ranks",
                    out.experts_assumed, layout_grid, per_block, ranks_of));
  }
  if (out.kinds.count("notify") || out.kinds.count("cached notify"))
    out.notes.push_back("notify kernels mostly wait for other ranks; their time does not scale with bytes");
  out.notes.push_back(
      "the profile holds no peer, size or rank of a message: bytes can be predicted only with --tokens, --hidden, "
      "--topk "
      "and --dispatch given to `shmemu deepep --trace`");
  return out;
}

std::string text_of(const Kineto& p) {
  std::string out =
      fmt::format("{:<22}{:>9}{:>12}{:>12}{:>12}\n", "kernels", "count", "mean us", "total us", "longest us");
  for (const auto& [name, k] : p.kinds)
    out += fmt::format("{:<22}{:>9}{:>12.1f}{:>12.1f}{:>12.1f}\n", name, k.kernels,
                       k.total_us / static_cast<double>(k.kernels), k.total_us, k.longest_us);
  out += fmt::format("span {:.1f} ms, communication {:.1f} ms of it, {:.0f} % beside computing\n", p.span_us / 1e3,
                     p.communication_us / 1e3, p.communication_us > 0 ? 100 * p.hidden_us / p.communication_us : 0.0);
  out += fmt::format("played again unchanged: {:.1f} ms\n", play(p, {}) / 1e3);
  for (const std::string& note : p.notes) out += fmt::format("note: {}\n", note);
  return out;
}

double play(const Kineto& p, const std::map<std::string, double>& longer_us) {
  struct Played {
    double recorded_end = 0, end = 0;
  };
  std::map<int64_t, Played> streams;  // last kernel of each
  std::vector<Played> ended;          // a heap: those that may be what a later one waited for
  auto later = [](const Played& a, const Played& b) { return a.recorded_end > b.recorded_end; };
  Played latest;  // ended last before the kernel at hand
  double span = 0;
  for (const KinetoKernel& k : p.kernels) {
    while (!ended.empty() && ended.front().recorded_end <= k.from_us) {
      std::pop_heap(ended.begin(), ended.end(), later);
      if (ended.back().recorded_end >= latest.recorded_end) latest = ended.back();
      ended.pop_back();
    }
    const Played before = streams[k.stream];
    bool waited = k.from_us - before.recorded_end > kBackToBack && latest.recorded_end > before.recorded_end;
    const Played& cause = waited ? latest : before;
    double start = std::max(cause.end + k.from_us - cause.recorded_end, before.end);
    auto longer = longer_us.find(k.kind);
    double us = std::max(0.0, k.us + (longer == longer_us.end() ? 0 : longer->second));
    streams[k.stream] = {k.from_us + k.us, start + us};
    ended.push_back(streams[k.stream]);
    std::push_heap(ended.begin(), ended.end(), later);
    span = std::max(span, start + us);
  }
  return span;
}

}  // namespace shmemu::traces
