#include "trace.hpp"

#include <fstream>
#include <map>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "deepep/trace.hpp"
#include "traces/kineto.hpp"
#include "traces/reader.hpp"

namespace shmemu::tools {
namespace {

namespace fs = std::filesystem;

struct Count {
  uint64_t ops = 0, bytes = 0;
};
using Counts = std::map<std::string, Count>;

Counts counts_of(const traces::Trace& trace) {
  Counts counts;
  auto add = [&](OpKind kind, uint64_t bytes) {
    Count& c = counts[std::string(name_of(kind))];
    ++c.ops, c.bytes += bytes;
  };
  for (const auto& host : trace.hosts)
    for (const traces::HostEntry& e : host) add(e.submit ? e.kind : e.op.kind, e.submit ? 0 : e.op.bytes);
  for (const auto& [thread, entries] : trace.lanes)
    for (const traces::LaneEntry& e : entries) add(e.op.kind, e.op.bytes);
  return counts;
}

void info(const std::string& file) {
  if (fs::is_directory(file)) {
    deepep::Trace t = deepep::read_trace(file);
    fmt::print("DeepEP calls recorded with {}: {} ranks, {} dispatches\n", t.library, t.ranks, t.calls.size());
    for (size_t i = 0; i < t.calls.size(); ++i) {
      const deepep::Setup& s = t.calls[i].setup;
      fmt::print("{:>5} {} tokens {} hidden {} top-{} of {} experts{}\n", i, s.ll() ? "ll" : "ht", s.tokens, s.hidden,
                 s.topk, s.experts, t.calls[i].combine_us.empty() ? ", no combine" : "");
    }
    return;
  }
  if (fs::path(file).extension() == ".json") {
    fmt::print("{}", traces::text_of(traces::read_kineto(file)));
    return;
  }
  traces::Trace trace = traces::read_trace(file);
  fmt::print("trace of {}, recorded on {}: {} PEs, {} threads with operations\n", trace.header.program,
             trace.header.platform, trace.header.pes, trace.lanes.size());
  fmt::print("{:<14}{:>12}{:>16}\n", "operation", "count", "bytes");
  for (const auto& [name, c] : counts_of(trace)) fmt::print("{:<14}{:>12}{:>16}\n", name, c.ops, c.bytes);
}

void head(const std::string& file, int lines) {
  traces::read_trace(file);  // refuses what is no trace, with the place
  std::ifstream in(file);
  std::string line;
  for (int i = 0; i <= lines && std::getline(in, line); ++i) fmt::print("{}\n", line);
}

void diff(const std::string& left, const std::string& right) {
  Counts a = counts_of(traces::read_trace(left)), b = counts_of(traces::read_trace(right));
  Counts all = a;
  all.insert(b.begin(), b.end());
  bool same_counts = true;
  for (const auto& [name, unused] : all) {
    const Count &x = a[name], &y = b[name];
    if (x.ops == y.ops && x.bytes == y.bytes) continue;
    same_counts = false;
    fmt::print("{:<14}{:>12} -> {:<12}{:>14} B -> {} B\n", name, x.ops, y.ops, x.bytes, y.bytes);
  }
  std::ifstream one(left), two(right);
  std::string x, y;
  for (size_t number = 1;; ++number) {
    bool more_x = static_cast<bool>(std::getline(one, x)), more_y = static_cast<bool>(std::getline(two, y));
    if (!more_x && !more_y) break;
    if (more_x && more_y && x == y) continue;
    fmt::print("first difference in line {}:\n< {}\n> {}\n", number, more_x ? x : "(ends)", more_y ? y : "(ends)");
    throw UserError(ExitCode::program_failed,
                    fmt::format("the traces differ{}", same_counts ? ", their operations are equally many" : ""));
  }
  fmt::print("the traces are equal\n");
}

}  // namespace

void add_trace(CLI::App& app) {
  CLI::App* cmd = app.add_subcommand("trace", "look into recorded traces and profiles");
  cmd->require_subcommand(1);
  auto first = std::make_shared<std::string>(), second = std::make_shared<std::string>();
  auto lines = std::make_shared<int>(10);
  CLI::App* one =
      cmd->add_subcommand("info", "what a trace, a folder of DeepEP calls or a Kineto profile (.json) holds");
  one->add_option("trace", *first)->required()->check(CLI::ExistingPath);
  one->callback([first] { info(*first); });
  CLI::App* two = cmd->add_subcommand("head", "the header and the first entries");
  two->add_option("trace", *first)->required()->check(CLI::ExistingFile);
  two->add_option("-n", *lines, "entries")->check(CLI::PositiveNumber)->capture_default_str();
  two->callback([first, lines] { head(*first, *lines); });
  CLI::App* three = cmd->add_subcommand(
      "diff", "operations that are not equally many, and the first line that differs; exit code 1 if any");
  three->add_option("a", *first)->required()->check(CLI::ExistingFile);
  three->add_option("b", *second)->required()->check(CLI::ExistingFile);
  three->callback([first, second] { diff(*first, *second); });
}

}  // namespace shmemu::tools
