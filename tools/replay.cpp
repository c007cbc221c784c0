#include "replay.hpp"

#include <unistd.h>

#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "traces/replayer.hpp"

namespace shmemu::tools {
namespace {

struct Options {
  std::string trace, platform, timeline;
  std::optional<int> pes_per_node;
  bool json = false, quiet = false;
};

// A line on the terminal that says how far the reading is; nothing elsewhere.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (drawn_) fmt::print(stderr, "\r{:40}\r", "");
  }
  void operator()(double part) {
    if (!terminal_ || std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
    drawn_ = true;
    int done = static_cast<int>(part * 30);
    fmt::print(stderr, "\r[{:=<{}}{:{}}] {:3.0f} %", "", done, "", 30 - done, part * 100);
    std::fflush(stderr);
  }

 private:
  bool terminal_ = isatty(2), drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void replay(const Options& o, const Layout& layout) {
  auto start = std::chrono::steady_clock::now();
  auto reader = traces::trace_reader(o.trace);
  const traces::Header header = reader->header();
  Platform platform = load_platform(layout.platforms(), o.platform.empty() ? header.platform : o.platform);
  RunReport report;
  if (!o.timeline.empty()) report.open_timeline(o.timeline);
  traces::ReplayResult result;
  {
    ProgressLine progress;
    result = traces::replay(std::move(reader), platform, report,
                            {.pes_per_node = o.pes_per_node, .progress = [&](double part) { progress(part); }});
  }
  RunReport::Summary s;
  s.program = fmt::format("trace of {}", header.program);
  s.platform = fmt::format("{} ({})", platform.name, platform.description);
  s.pes = header.pes;
  s.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  s.transfers = result.transfers;
  s.observations = result.observations;
  s.switches = result.steps;
  s.notes = result.paths;
  bool elsewhere = platform.name != header.platform || o.pes_per_node;
  if (elsewhere && !result.steering.empty())
    s.notes.push_back(
        fmt::format("the recorded program asked {}, whose answers depend on time: it might have gone another way "
                    "here, the recorded one is played",
                    result.steering));
  s.notes.push_back(fmt::format("at most {} operations of the trace were held at once", result.most_held));
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
  cmd->add_option("-p,--platform", options->platform,
                  "platform name or YAML file; default: the one it was recorded on");
  cmd->add_option("--pes-per-node", options->pes_per_node, "place the PEs anew; default: on the GPUs of the recording");
  cmd->add_option("--timeline", options->timeline, "write every operation with its times, one JSON object per line");
  cmd->add_flag("--json", options->json, "the report as JSON on standard output");
  cmd->add_flag("-q,--quiet", options->quiet, "no report");
  cmd->callback([options, layout] { replay(*options, layout); });
}

}  // namespace shmemu::tools
