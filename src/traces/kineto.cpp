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

std::string kind_of(const std::string& name, int& rdma_ranks) {
  if (name.find("deep_ep") == std::string::npos)
    return name.find("nccl") != std::string::npos ? "other communication" : "computing";
  if (name.find("get_dispatch_layout") != std::string::npos) return "layout";
  if (name.find("cached_notify") != std::string::npos) return "cached notify";
  if (name.find("notify_dispatch") != std::string::npos) return "notify";
  if (name.find("::combine") != std::string::npos) return "combine";
  if (name.find("::dispatch") != std::string::npos) {
    // internode::dispatch<low latency mode, RDMA ranks, cached, …>
    std::vector<std::string> a = arguments_of(name);
    bool between_nodes = name.find("internode::dispatch") != std::string::npos;
    if (between_nodes && a.size() > 1 && !a[1].empty() && a[1].find_first_not_of("0123456789") == std::string::npos)
      rdma_ranks = std::stoi(a[1]);
    if (between_nodes && a.size() > 2 && (a[2] == "true" || a[2] == "1")) return "cached dispatch";
    return "dispatch";
  }
  return "other communication";
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
  int rdma_ranks = 0;
  bool any = false;
  for (const json& e : events) {
    if (!e.is_object() || e.value("ph", "") != "X" || e.value("cat", "") != "kernel") continue;
    if (!e.contains("ts") || !e.contains("dur") || !e.at("ts").is_number() || !e.at("dur").is_number()) {
      ++without_time;
      continue;
    }
    double from = e.at("ts"), us = e.at("dur");
    std::string kind = kind_of(e.value("name", ""), rdma_ranks);
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
  if (rdma_ranks) {
    out.ranks_assumed = rdma_ranks * 8;
    out.notes.push_back(
        fmt::format("assumed {} ranks: the template arguments of dispatch say {} nodes, and DeepEP's nodes have 8 GPUs",
                    out.ranks_assumed, rdma_ranks));
  }
  if (out.kinds.count("notify") || out.kinds.count("cached notify"))
    out.notes.push_back("notify kernels mostly wait for other ranks; their time does not scale with bytes");
  out.notes.push_back(
      "the profile holds no peer, size or rank: bytes can be replayed only with --tokens, --hidden and --topk given");
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
  for (const std::string& note : p.notes) out += fmt::format("note: {}\n", note);
  return out;
}

}  // namespace shmemu::traces
