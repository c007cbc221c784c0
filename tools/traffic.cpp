// `shmemu traffic`: how long a pattern of messages takes on a platform, by one or more network engines side by side,
// and how fast these engines are. Times of the software around messages (calls, requests) are not in it: what ports
// allow.
#include "traffic.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "model/engines/traffic.hpp"
#include "model/placement.hpp"
#include "ranges.hpp"

namespace shmemu::tools {
namespace {

struct Options {
  std::string platform, bytes = "64k", chunk = "4k", gpus = "64";
  std::vector<std::string> engines{"ports"};
  Pattern pattern;
  bool json = false;
};

struct Row {
  std::string engine;
  TrafficResult result;
  double seconds = 0;  // of the machine that runs shmemu
};

Time mean(const std::vector<Time>& times) {
  return std::accumulate(times.begin(), times.end(), Time{}) / static_cast<int64_t>(times.size());
}

Time percentile(std::vector<Time> times, size_t percent) {
  auto at = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) * percent / 100);
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

void print(const Options& o, const Platform& p, const Wiring& wiring, const std::vector<Flow>& flows,
           const std::vector<Row>& rows) {
  uint64_t bytes = flows.size() * o.pattern.bytes;
  Time least = least_time(wiring, flows);
  auto rate = [&](Time t) { return static_cast<double>(bytes) / t.seconds() * 1e-9; };
  if (o.json) {
    nlohmann::ordered_json j{{"version", 1},
                             {"platform", p.name},
                             {"pattern", o.pattern.name},
                             {"gpus", o.pattern.endpoints},
                             {"messages", flows.size()},
                             {"bytes_each", o.pattern.bytes},
                             {"least_us", least.us()},
                             {"engines", nlohmann::ordered_json::array()}};
    for (const Row& r : rows)
      j["engines"].push_back({{"engine", r.engine},
                              {"last_us", r.result.last.us()},
                              {"mean_us", mean(r.result.delivered).us()},
                              {"p99_us", percentile(r.result.delivered, 99).us()},
                              {"GBps", rate(r.result.last)},
                              {"seconds", r.seconds},
                              {"messages_per_second", static_cast<double>(flows.size()) / r.seconds}});
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    j["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
    return fmt::print("{}\n", j.dump(1));
  }
  fmt::print("{}: {} between {} GPUs, {} messages of {}; no less than {} by the fullest port\n", p.name, o.pattern.name,
             o.pattern.endpoints, flows.size(), bytes_to_text(o.pattern.bytes), to_text(least));
  fmt::print("{:<10}{:>14}{:>14}{:>14}{:>12}{:>16}\n", "engine", "last", "mean", "99 %", "GB/s", "M messages/s");
  for (const Row& r : rows)
    fmt::print("{:<10}{:>14}{:>14}{:>14}{:>12.1f}{:>16.2f}\n", r.engine, to_text(r.result.last),
               to_text(mean(r.result.delivered)), to_text(percentile(r.result.delivered, 99)), rate(r.result.last),
               static_cast<double>(flows.size()) / r.seconds * 1e-6);
}

void run(Options o, const Layout& layout) {
  o.pattern.endpoints = static_cast<int>(read_range("--gpus", o.gpus, 2).front());
  o.pattern.bytes = read_range("--bytes", o.bytes, 2).front();
  uint64_t chunk = read_range("--chunk", o.chunk, 2).front();
  Platform p = load_platform(
      layout.platforms(), o.platform.empty() ? default_platform(layout.platforms(), o.pattern.endpoints) : o.platform);
  if (p.gpus() && *p.gpus() < o.pattern.endpoints)
    throw UserError(ExitCode::usage, fmt::format("platform '{}' has {} GPUs, --gpus asks for {}", p.name, *p.gpus(),
                                                 o.pattern.endpoints));
  Wiring wiring = Wiring::of(p, o.pattern.endpoints);
  auto flows = flows_of(o.pattern);
  std::vector<Row> rows;
  for (const std::string& engine : o.engines) {
    EngineOptions wanted{engine, chunk, {}};
    auto since = std::chrono::steady_clock::now();
    Row row{engine,
            engine == "simgrid" ? run_traffic_apart(wiring, flows, wanted) : run_traffic(wiring, flows, wanted)};
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
    rows.push_back(std::move(row));
  }
  print(o, p, wiring, flows, rows);
}

}  // namespace

void add_traffic(CLI::App& app, const Layout& layout) {
  auto o = std::make_shared<Options>();
  CLI::App* cmd = app.add_subcommand("traffic", "times of a pattern of messages between GPUs, by network engine");
  cmd->add_option("pattern", o->pattern.name)
      ->required()
      ->check(CLI::IsMember({"all-to-all", "random", "incast", "shift"}));
  cmd->add_option("-p,--platform", o->platform, "platform name or YAML file; default: the first that is large enough");
  cmd->add_option("--gpus", o->gpus, "how many")->capture_default_str();
  cmd->add_option("--bytes", o->bytes, "of a message")->capture_default_str();
  cmd->add_option("--each", o->pattern.each, "random: messages of a GPU; shift: distance")->capture_default_str();
  cmd->add_option("--seed", o->pattern.seed, "of random")->capture_default_str();
  cmd->add_option("--engine", o->engines,
                  "ports (turns of small chunks), fifo (whole messages), simgrid (max-min shares)")
      ->delimiter(',')
      ->check(CLI::IsMember({"ports", "fifo", "simgrid"}));
  cmd->add_option("--chunk", o->chunk, "of ports")->capture_default_str();
  cmd->add_flag("--json", o->json, "as JSON on standard output");
  cmd->callback([o, layout] { run(*o, layout); });
}

}  // namespace shmemu::tools
