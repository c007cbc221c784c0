#include "replay.hpp"

#include <chrono>

#include <fmt/format.h>

#include "traces/replayer.hpp"

namespace shmemu::tools {
namespace {

struct Options {
  std::string trace, platform, timeline;
  bool json = false, quiet = false;
};

void replay(const Options& o, const Layout& layout) {
  auto start = std::chrono::steady_clock::now();
  traces::Trace trace = traces::read_trace(o.trace);
  Platform platform = load_platform(layout.platforms(), o.platform.empty() ? trace.header.platform : o.platform);
  RunReport report;
  if (!o.timeline.empty()) report.open_timeline(o.timeline);
  traces::ReplayResult result = traces::replay(trace, platform, report);
  RunReport::Summary s;
  s.program = fmt::format("trace of {}", trace.header.program);
  s.platform = fmt::format("{} ({})", platform.name, platform.description);
  s.pes = trace.header.pes;
  s.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  s.transfers = result.transfers;
  s.observations = result.observations;
  s.switches = result.steps;
  if (o.json) {
    fmt::print("{}", report.json(s));
  } else if (!o.quiet) {
    fmt::print(stderr, "{}", report.text(s));
  }
}

}  // namespace

void add_replay(CLI::App& app, const Layout& layout) {
  auto options = std::make_shared<Options>();
  CLI::App* cmd = app.add_subcommand("replay", "play a recorded trace on a platform");
  cmd->add_option("trace", options->trace, "file written by `shmemu run --record`")->required();
  cmd->add_option("-p,--platform", options->platform, "platform name or YAML file; default: the one it was recorded on");
  cmd->add_option("--timeline", options->timeline, "write every operation with its times, one JSON object per line");
  cmd->add_flag("--json", options->json, "the report as JSON on standard output");
  cmd->add_flag("-q,--quiet", options->quiet, "no report");
  cmd->callback([options, layout] { replay(*options, layout); });
}

}  // namespace shmemu::tools
