#include "trace.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "deepep/trace.hpp"
#include "traces/kineto.hpp"
#include "traces/reader.hpp"
#include "traces/writer.hpp"

namespace shmemu::tools {
namespace {

namespace fs = std::filesystem;

struct Count {
  uint64_t ops = 0, bytes = 0;
};
using Counts = std::map<std::string, Count>;

void count(Counts& counts, const traces::Entry& e) {
  auto add = [&](OpKind kind, uint64_t bytes) {
    Count& c = counts[std::string(name_of(kind))];
    ++c.ops, c.bytes += bytes;
  };
  using What = traces::Entry::What;
  if (e.what == What::host) add(e.host.submit ? e.host.kind : e.host.op.kind, e.host.submit ? 0 : e.host.op.bytes);
  if (e.what == What::lane) add(e.lane.op.kind, e.lane.op.bytes);
}

// As it stands in a readable trace.
std::string text_of(const traces::Entry& e) {
  using What = traces::Entry::What;
  if (e.what != What::lane && e.what != What::warp) return e.text;
  std::string text = e.what == What::lane
                         ? traces::write_lane(e.where, e.lane.op, &e.lane.payload, e.lane.gap, e.lane.work)
                         : traces::write_warp(e.where, e.work);
  text.pop_back();
  return text;
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
  auto reader = traces::trace_reader(file);
  Counts counts;
  std::set<traces::Where> threads;
  for (traces::Entry e; reader->next(e); count(counts, e))
    if (e.what == traces::Entry::What::lane && e.lane.op.kind == OpKind::exit) threads.insert(e.where);
  const traces::Header& h = reader->header();
  fmt::print("trace of {}, recorded on {}: {} PEs, {} threads with operations\n", h.program, h.platform, h.pes,
             threads.size());
  fmt::print("{:<14}{:>12}{:>16}\n", "operation", "count", "bytes");
  for (const auto& [name, c] : counts) fmt::print("{:<14}{:>12}{:>16}\n", name, c.ops, c.bytes);
}

void head(const std::string& file, int lines) {
  auto reader = traces::trace_reader(file);
  fmt::print("{}", traces::write_header(reader->header()));
  traces::Entry e;
  for (int i = 0; i < lines && reader->next(e); ++i) fmt::print("{}\n", text_of(e));
}

void convert(const std::string& from, const std::string& to) {
  if (std::error_code ignored; fs::equivalent(from, to, ignored))
    throw UserError(ExitCode::usage, fmt::format("'{}' would be written over itself", from));
  auto reader = traces::trace_reader(from);
  auto writer = traces::trace_writer(to);
  writer->header(reader->header());
  for (traces::Entry e; reader->next(e);) writer->entry(e);
  writer->finish();
}

void diff(const std::string& left, const std::string& right) {
  auto one = traces::trace_reader(left), two = traces::trace_reader(right);
  Counts a, b;
  std::string first;
  auto compare = [&](uint64_t number, const std::string& x, const std::string& y) {
    if (first.empty() && x != y) first = fmt::format("first difference in line {}:\n< {}\n> {}\n", number, x, y);
  };
  compare(1, traces::write_header(one->header()), traces::write_header(two->header()));
  traces::Entry x, y;
  bool more_x = true, more_y = true;
  for (uint64_t number = 2;; ++number) {
    more_x = more_x && one->next(x), more_y = more_y && two->next(y);
    if (!more_x && !more_y) break;
    if (more_x) count(a, x);
    if (more_y) count(b, y);
    if (first.empty()) compare(number, more_x ? text_of(x) : "(ends)", more_y ? text_of(y) : "(ends)");
  }
  Counts all = a;
  all.insert(b.begin(), b.end());
  bool same_counts = true;
  for (const auto& [name, unused] : all) {
    const Count &x_count = a[name], &y_count = b[name];
    if (x_count.ops == y_count.ops && x_count.bytes == y_count.bytes) continue;
    same_counts = false;
    fmt::print("{:<14}{:>12} -> {:<12}{:>14} B -> {} B\n", name, x_count.ops, y_count.ops, x_count.bytes,
               y_count.bytes);
  }
  if (first.empty()) return fmt::print("the traces are equal\n");
  fmt::print("{}", first);
  throw UserError(ExitCode::program_failed,
                  fmt::format("the traces differ{}", same_counts ? ", their operations are equally many" : ""));
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
  CLI::App* four = cmd->add_subcommand(
      "convert", "between readable text and columns (.h5, for large traces and pandas), without loss either way");
  four->add_option("from", *first)->required()->check(CLI::ExistingFile);
  four->add_option("to", *second, "columns if it ends in .h5 or .hdf5, else text")->required();
  four->callback([first, second] { convert(*first, *second); });
}

}  // namespace shmemu::tools
