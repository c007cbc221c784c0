#include "deepep/report.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepep/accounting.hpp"

namespace shmemu::deepep {
namespace {

double quantile(std::vector<double> v, double q) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  auto at = static_cast<size_t>(q * static_cast<double>(v.size() - 1) + 0.5);
  return v[std::min(at, v.size() - 1)];
}

}  // namespace

OpSummary summary_of(const OpResult& op) {
  OpSummary s;
  std::vector<double> times;
  std::vector<double> per_rank(static_cast<size_t>(op.ranks));
  double n = std::max<double>(1, static_cast<double>(op.samples.size()));
  for (size_t i = 0; i < op.samples.size(); ++i) {
    const RankTimes& t = op.samples[i];
    double us = (t.kernel() + t.notify).us();
    times.push_back(us);
    per_rank[i % per_rank.size()] += us * op.ranks / n;
    s.mean_us += us / n, s.kernel_us += t.kernel().us() / n, s.notify_us += t.notify.us() / n;
    Time cut = std::min(t.end, std::max(t.start, t.others_started));
    auto part = [&](Time until) {  // from the cut on, so that the parts add up
      until = std::clamp(until, cut, t.end);
      double us_part = (until - cut).us() / n;
      cut = until;
      return us_part;
    };
    s.skew_us += (cut - t.start).us() / n;
    s.issue_us += part(t.issued), s.transfer_us += part(t.arrived), s.forward_us += part(t.forwarded);
    s.receive_us += part(t.end);
  }
  s.p50_us = quantile(times, 0.5), s.p99_us = quantile(times, 0.99);
  s.per_rank_us = std::move(per_rank);
  if (s.mean_us > 0) {
    s.logical_gbps = op.logical_bytes / s.mean_us / 1e3, s.nvl_logical_gbps = op.logical_nvl_bytes / s.mean_us / 1e3;
    s.wire_gbps = op.wire_bytes / s.mean_us / 1e3, s.nvlink_gbps = op.nvlink_bytes / s.mean_us / 1e3;
  }
  s.bound = bound_of(op);
  return s;
}

std::string text_of(const Results& results, const Setup& setup, const Platform& platform, const Skew& skew) {
  std::string out = fmt::format("DeepEP V1 {} on {}:", setup.ll() ? "low latency" : "high throughput", platform.name);
  size_t column = out.size();
  for (const auto& [name, value] : describe(setup)) {
    std::string item = fmt::format(" {} {},", name, value);
    if (column + item.size() > 118) out += "\n ", column = 1;
    out += item, column += item.size();
  }
  out.back() = '\n';
  out += fmt::format(
      "routing: {} tokens, {} selections; hottest rank {:.2f} and expert {:.2f} of the mean; {:.2f} ranks, {:.2f} "
      "nodes per token\n\n",
      skew.tokens, skew.selections, skew.hottest_rank, skew.hottest_expert, skew.ranks_per_token, skew.nodes_per_token);
  out += fmt::format("{:<10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}{:>10}{:>10}{:>10}  {}\n", "us, GB/s", "mean", "p50",
                     "p99", "kernel", "notify", "logical", "NVL log.", "wire", "NVLink", "bound");
  for (const OpResult& op : results.ops) {
    OpSummary s = summary_of(op);
    out +=
        fmt::format("{:<10}{:>10.1f}{:>10.1f}{:>10.1f}{:>10.1f}{:>10.1f}{:>12.1f}{:>10}{:>10.1f}{:>10.1f}  {}\n",
                    op.name, s.mean_us, s.p50_us, s.p99_us, s.kernel_us, s.notify_us, s.logical_gbps,
                    setup.ll() ? "" : fmt::format("{:.1f}", s.nvl_logical_gbps), s.wire_gbps, s.nvlink_gbps, s.bound);
  }
  out += fmt::format("\n{:<10}{:>10}{:>10}{:>10}{:>10}{:>10}  {}\n", "kernel, us", "skew", "issue", "transfer",
                     "forward", "receive", "busy share of the kernel, mean (most)");
  for (const OpResult& op : results.ops) {
    OpSummary s = summary_of(op);
    out += fmt::format("{:<10}{:>10.1f}{:>10.1f}{:>10.1f}{:>10.1f}{:>10.1f}  ", op.name, s.skew_us, s.issue_us,
                       s.transfer_us, s.forward_us, s.receive_us);
    std::string uses;
    for (const auto& [name, use] : op.use)
      uses += fmt::format("{}{} {:.0f} % ({:.0f} %)", uses.empty() ? "" : ", ", name, use.mean * 100, use.most * 100);
    out += uses + "\n";
  }
  for (const OpResult& op : results.ops)
    out += fmt::format("{}: {} RDMA writes, {} atomics, {} doorbells, {} NVLink copies\n", op.name, op.messages,
                       op.atomics, op.doorbells, op.nvlink_copies);
  out +=
      "logical: as DeepEP's scripts count, own rank and node included; wire: through the adapter, per rank; NVLink: to "
      "peers\n";
  for (const std::string& note : results.notes) out += fmt::format("note: {}\n", note);
  return out;
}

nlohmann::ordered_json json_of(const Results& results, const Setup& setup, const Platform& platform, const Skew& skew) {
  nlohmann::ordered_json j, ops = nlohmann::ordered_json::array(), settings;
  for (const auto& [name, value] : describe(setup)) settings[name] = value;
  for (const OpResult& op : results.ops) {
    OpSummary s = summary_of(op);
    nlohmann::ordered_json use;
    for (const auto& [name, u] : op.use) {
      use[name] = {{"mean", u.mean}, {"most", u.most}};
      if (!u.each.empty()) use[name]["each"] = u.each;
    }
    ops.push_back({{"op", op.name},
                   {"mean_us", s.mean_us},
                   {"p50_us", s.p50_us},
                   {"p99_us", s.p99_us},
                   {"kernel_us", s.kernel_us},
                   {"notify_us", s.notify_us},
                   {"logical_GBps", s.logical_gbps},
                   {"nvl_logical_GBps", s.nvl_logical_gbps},
                   {"wire_GBps", s.wire_gbps},
                   {"nvlink_GBps", s.nvlink_gbps},
                   {"bound", s.bound},
                   {"split_us",
                    {{"skew", s.skew_us},
                     {"issue", s.issue_us},
                     {"transfer", s.transfer_us},
                     {"forward", s.forward_us},
                     {"receive", s.receive_us}}},
                   {"logical_bytes", op.logical_bytes},
                   {"wire_bytes", op.wire_bytes},
                   {"nvlink_bytes", op.nvlink_bytes},
                   {"messages", op.messages},
                   {"atomics", op.atomics},
                   {"doorbells", op.doorbells},
                   {"nvlink_copies", op.nvlink_copies},
                   {"busy", use},
                   {"per_rank_us", s.per_rank_us}});
  }
  j["version"] = 1;
  j["platform"] = platform.name;
  j["settings"] = settings;
  j["routing"] = {{"tokens", skew.tokens},
                  {"selections", skew.selections},
                  {"hottest_rank", skew.hottest_rank},
                  {"hottest_expert", skew.hottest_expert},
                  {"ranks_per_token", skew.ranks_per_token},
                  {"nodes_per_token", skew.nodes_per_token}};
  j["ops"] = ops;
  j["events"] = results.events;
  j["notes"] = results.notes;
  return j;
}

std::string csv_of(const Results& results, const Setup& setup, const Platform& platform) {
  std::string out =
      "platform,mode,op,ep,tokens,hidden,topk,experts,num_sms,mean_us,p50_us,p99_us,kernel_us,logical_GBps,nvl_logical_"
      "GBps,wire_GBps,"
      "nvlink_GBps,bound\n";
  for (const OpResult& op : results.ops) {
    OpSummary s = summary_of(op);
    out += fmt::format("{},{},{},{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},\"{}\"\n",
                       platform.name, setup.ll() ? "ll" : "ht", op.name, setup.ep, setup.tokens, setup.hidden,
                       setup.topk, setup.experts, setup.ll() ? setup.sms_low_latency : setup.sms, s.mean_us, s.p50_us,
                       s.p99_us, s.kernel_us, s.logical_gbps, s.nvl_logical_gbps, s.wire_gbps, s.nvlink_gbps, s.bound);
  }
  return out;
}

}  // namespace shmemu::deepep
