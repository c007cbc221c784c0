#include "predict.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "predict/sweep.hpp"
#include "predict/validate.hpp"
#include "ranges.hpp"
#include "report/plot.hpp"

namespace shmemu::tools {
namespace {

struct Options {
  std::string kind, library = "nvshmem", compare, validate, platform, pes = "8", bytes = "128:1G", scope = "block",
                    algorithm = "auto", plot;
  uint32_t threads = 256;
  int calls = 4;
  uint64_t element = 4;
  int blocks = 1;
  bool json = false, csv = false, explain = false, unfolded = false, nvls = false, graph = false;
};

predict::Question question_of(const Options& o) {
  predict::Question q;
  static const std::map<std::string, Collective> kinds{{"barrier", Collective::barrier},
                                                       {"sync", Collective::sync},
                                                       {"broadcast", Collective::broadcast},
                                                       {"fcollect", Collective::fcollect},
                                                       {"alltoall", Collective::alltoall},
                                                       {"reduce", Collective::reduce},
                                                       {"reducescatter", Collective::reducescatter}};
  q.collective = kinds.at(o.kind);
  q.on_stream = o.scope == "on_stream";
  q.scope = o.scope == "thread" ? Scope::thread : o.scope == "warp" ? Scope::warp : Scope::block;
  q.threads = o.threads;
  q.nvls = o.nvls, q.graph = o.graph, q.blocks = o.blocks;
  q.calls = o.calls;
  q.element_bytes = o.element;
  q.library = o.library;
  q.algorithm = o.algorithm;
  q.fold = !o.unfolded;
  q.settings = read_collective_settings([](const char* name) -> const char* { return std::getenv(name); });
  q.transports = read_settings([](const char* name) -> const char* { return std::getenv(name); });
  for (uint64_t n : read_range("--pes", o.pes, 2)) {
    if (n > 65536)
      throw UserError(ExitCode::usage,
                      fmt::format("--pes: {} PEs; the slots of NVSHMEM's synchronisation end at 65536", n));
    q.pes.push_back(static_cast<int>(n));
  }
  bool sized = q.collective != Collective::barrier && q.collective != Collective::sync;
  q.bytes = sized ? read_range("--bytes", o.bytes, 4) : std::vector<uint64_t>{0};
  return q;
}

// The algorithm, with its protocol and library where they are not plain.
std::string full_name(const predict::Row& r, bool library) {
  std::string blocks = r.library == "nvshmem" && r.blocks > 1 ? fmt::format(" x{}", r.blocks) : "";
  return fmt::format("{}{}{}{}", library ? r.library + " " : "", r.algorithm,
                     r.protocol.empty() ? "" : "/" + r.protocol, blocks);
}

bool several_libraries(const predict::Answer& a) {
  for (const predict::Row& r : a.rows)
    if (r.library != a.rows.front().library) return true;
  return false;
}

std::string text_of(const predict::Answer& a, const Options& o, const Platform& p) {
  std::string out =
      fmt::format("{} on {}, scope {}{}; latency: of one of {} calls in a row, until the last PE is through\n", o.kind,
                  p.name, o.scope, o.scope == "block" ? fmt::format(" of {} threads", o.threads) : "", o.calls);
  bool several = several_libraries(a);
  out += fmt::format("{:>6} {:>12} {:<24}{:>13} {:>13} {:>11} {:>11}  {}\n", "PEs", "bytes", "algorithm", "latency us",
                     "on PE 0 us", "alg GB/s", "bus GB/s", "folded");
  for (const predict::Row& r : a.rows) {
    std::string folded = r.folded > 0 ? fmt::format("{:.1f} % of the time", r.folded * 100) : "";
    if (r.simulated < r.pes)
      folded += fmt::format("{}{} PE{} for all", folded.empty() ? "" : ", ", r.simulated, r.simulated == 1 ? "" : "s");
    if (r.unlike > Time{}) folded += fmt::format(", steps like those differ by {}", to_text(r.unlike));
    out += fmt::format("{:>6} {:>12} {:<24}{:>13.3f} {:>13.3f} {:>11.3f} {:>11.3f}  {}\n", r.pes, r.bytes,
                       full_name(r, several) + (r.chosen ? "*" : ""), static_cast<double>(r.latency.ps) / 1e6,
                       static_cast<double>(r.first_pe.ps) / 1e6, r.alg_gbps, r.bus_gbps, folded);
    if (o.explain)
      for (const std::string& line : r.path) out += fmt::format("         {}\n", line);
  }
  for (const predict::Skipped& s : a.skipped)
    out += fmt::format("{:>6} {:>12} {:<24}cannot run: {}\n", s.pes, s.bytes, s.algorithm, s.why);
  out += "* the algorithm that the library would choose\n";
  return out;
}

std::string json_of(const predict::Answer& a, const Options& o, const Platform& p) {
  nlohmann::ordered_json j, rows = nlohmann::ordered_json::array();
  for (const predict::Row& r : a.rows) {
    nlohmann::ordered_json row;
    row["op"] = o.kind;
    row["library"] = r.library;
    row["algorithm"] = r.algorithm;
    if (!r.protocol.empty()) row["protocol"] = r.protocol;
    row["blocks"] = r.blocks;
    row["chosen"] = r.chosen;
    row["scope"] = o.scope;
    row["pes"] = r.pes;
    row["bytes"] = r.bytes;
    row["latency_us"] = static_cast<double>(r.latency.ps) / 1e6;
    row["latency_pe0_us"] = static_cast<double>(r.first_pe.ps) / 1e6;
    row["algbw_GBps"] = r.alg_gbps;
    row["busbw_GBps"] = r.bus_gbps;
    if (!r.bound.empty()) row["bound"] = r.bound;
    row["messages"] = r.messages;
    row["simulated_pes"] = r.simulated;
    row["folded"] = r.folded;
    if (r.unlike > Time{}) row["unlike_us"] = r.unlike.us();
    if (o.explain) row["path"] = r.path;
    rows.push_back(std::move(row));
  }
  j["version"] = 1;
  j["platform"] = p.name;
  j["rows"] = std::move(rows);
  nlohmann::ordered_json cannot = nlohmann::ordered_json::array();
  for (const predict::Skipped& s : a.skipped)
    cannot.push_back({{"pes", s.pes}, {"bytes", s.bytes}, {"algorithm", s.algorithm}, {"why", s.why}});
  j["cannot_run"] = std::move(cannot);
  return j.dump(1) + "\n";
}

std::string csv_of(const predict::Answer& a, const Options& o) {
  std::string out = "op,library,algorithm,scope,pes,bytes,latency_us,latency_pe0_us,algbw_GBps,busbw_GBps,folded\n";
  for (const predict::Row& r : a.rows)
    out += fmt::format("{},{},{},{},{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f}\n", o.kind, r.library, full_name(r, false),
                       o.scope, r.pes, r.bytes, static_cast<double>(r.latency.ps) / 1e6,
                       static_cast<double>(r.first_pe.ps) / 1e6, r.alg_gbps, r.bus_gbps, r.folded);
  return out;
}

// Latency and bandwidth over the size (or over the PEs when there is one size): a line per algorithm and count.
std::string plot_of(const predict::Answer& a, const Options& o, const Platform& p) {
  std::map<int, int> counts;
  std::map<uint64_t, int> sizes;
  for (const predict::Row& r : a.rows) ++counts[r.pes], ++sizes[r.bytes];
  bool over_bytes = sizes.size() > 1;
  std::string x = over_bytes ? "bytes" : "PEs";
  Panel latency{x, "latency, µs", over_bytes, {}, {}}, bandwidth{x, "bus bandwidth, GB/s", over_bytes, {}, {}};
  auto add = [&](Panel& panel, const std::string& name, double at, double value) {
    if (!(value > 0)) return;
    if (panel.series.empty() || panel.series.back().name != name) {
      for (Series& s : panel.series)
        if (s.name == name) return s.points.emplace_back(at, value), void();
      panel.series.push_back({name, {}});
    }
    panel.series.back().points.emplace_back(at, value);
  };
  bool by_algorithm = o.algorithm != "auto" || !o.compare.empty();
  for (const predict::Row& r : a.rows) {
    std::string name;
    if (!o.compare.empty())
      name = r.label;
    else if (by_algorithm)
      name = full_name(r, false);
    if (over_bytes && (counts.size() > 1 || !by_algorithm))
      name += fmt::format("{}{} PEs", name.empty() ? "" : ", ", r.pes);
    if (name.empty()) name = o.kind;
    double at = over_bytes ? static_cast<double>(r.bytes) : r.pes;
    add(latency, name, at, static_cast<double>(r.latency.ps) / 1e6);
    add(bandwidth, name, at, r.bus_gbps);
  }
  if (by_algorithm && (counts.size() == 1 || !over_bytes)) latency.crossings = crossings_of(latency.series);
  std::vector<Panel> panels{latency};
  if (!bandwidth.series.empty()) panels.push_back(bandwidth);
  std::string title = fmt::format("{} ({}), {}", o.kind, o.scope, p.name);
  if (o.compare.empty())
    title += fmt::format(", algorithm {}", o.algorithm == "auto" ? "as the library chooses" : o.algorithm);
  if (counts.size() == 1) title += fmt::format(", {} PEs", a.rows.front().pes);
  if (sizes.size() == 1 && a.rows.front().bytes) title += fmt::format(", {} B", a.rows.front().bytes);
  return svg_of(title, panels);
}

// What is to be compared: "nvshmem", "nccl", "nccl:Ring", "nvshmem:two-level:16" (with 16 blocks).
predict::Question variant_of(const predict::Question& base, const std::string& text) {
  predict::Question q = base;
  std::vector<std::string> parts;
  for (size_t from = 0; from <= text.size();) {
    size_t to = std::min(text.find(':', from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  q.library = parts[0];
  q.algorithm = parts.size() > 1 && !parts[1].empty() ? parts[1] : "auto";
  if (parts.size() > 2) q.blocks = std::atoi(parts[2].c_str());
  if ((q.library != "nvshmem" && q.library != "nccl") || parts.size() > 3 || q.blocks < 1 || q.blocks > 64)
    throw UserError(ExitCode::usage,
                    fmt::format("--compare: '{}' is no library[:algorithm[:blocks]], as nvshmem, nccl:Ring "
                                "or nvshmem:two-level:16",
                                text));
  return q;
}

// Where one of two becomes the faster one, between two sizes of the same count of PEs.
std::string overtakings(const predict::Answer& a) {
  std::map<int, std::map<std::string, std::map<uint64_t, double>>> times;
  for (const predict::Row& r : a.rows) times[r.pes][r.label][r.bytes] = r.latency.us();
  std::string out;
  for (auto& [pes, of] : times)
    for (auto x = of.begin(); x != of.end(); ++x)
      for (auto y = std::next(x); y != of.end(); ++y) {
        double before = 0;
        uint64_t last = 0;
        bool found = false;
        for (auto [bytes, t] : x->second) {
          auto other = y->second.find(bytes);
          if (other == y->second.end()) continue;
          double lead = other->second - t;  // of x
          if (before * lead < 0) {
            found = true;
            out += fmt::format("{} PEs: {} overtakes {} between {} and {} B\n", pes, lead > 0 ? x->first : y->first,
                               lead > 0 ? y->first : x->first, last, bytes);
          }
          if (lead != 0) before = lead, last = bytes;
        }
        if (!found && before != 0 && x->second.size() > 1)
          out += fmt::format("{} PEs: {} is faster than {} at every size\n", pes, before > 0 ? x->first : y->first,
                             before > 0 ? y->first : x->first);
      }
  return out;
}

// A file of measurements, or those of the project: each on the smallest platform it fits.
void validate(const Options& o, const Layout& layout) {
  std::vector<std::filesystem::path> files{o.validate};
  if (o.validate == "all")
    files = {layout.platforms() / "measurements/collectives_h200x2.csv",
             layout.platforms() / "measurements/collectives_coreweave.csv"};
  Platform platform = load_platform(layout.platforms(), o.platform.empty() ? "coreweave-2x8" : o.platform);
  for (const std::filesystem::path& file : files)
    fmt::print("{}\n{}", file.filename().string(),
               predict::table_of(predict::compare_with(predict::read_measured(file), platform), o.explain));
}

void run(const Options& o, const Layout& layout) {
  if (!o.validate.empty()) return validate(o, layout);
  if (o.kind.empty())
    throw UserError(ExitCode::usage, "predict: a collective is wanted, as in 'shmemu predict reduce'");
  predict::Question q = question_of(o);
  int most = *std::max_element(q.pes.begin(), q.pes.end());
  Platform platform =
      load_platform(layout.platforms(), o.platform.empty() ? default_platform(layout.platforms(), most) : o.platform);
  std::vector<std::pair<std::string, predict::Question>> questions;
  if (o.compare.empty()) questions.emplace_back("", q);
  for (size_t from = 0; !o.compare.empty() && from <= o.compare.size();) {
    size_t to = std::min(o.compare.find(',', from), o.compare.size());
    std::string label = o.compare.substr(from, to - from);
    questions.emplace_back(label, variant_of(q, label));
    from = to + 1;
  }
  double messages = 0;
  for (auto& [label, question] : questions) messages += predict::messages_of(question, platform);
  constexpr double kMany = 5e6;  // messages; about a second and a half per million
  if (messages > kMany)
    fmt::print(stderr, "shmemu predict: about {:.0f} million messages to go through, some {:.0f} s\n", messages / 1e6,
               messages / 1e6 * 1.5);
  bool show = isatty(STDERR_FILENO);
  predict::Answer answer;
  for (auto& [label, question] : questions) {
    predict::Answer one = predict::predict(question, platform, [&](double share) {
      if (!show) return;
      constexpr int kCells = 40;
      int full = static_cast<int>(share * kCells);
      fmt::print(stderr, "\r[{}{}] {:3.0f} %", std::string(static_cast<size_t>(full), '#'),
                 std::string(static_cast<size_t>(kCells - full), ' '), share * 100);
      std::fflush(stderr);
    });
    for (predict::Row& r : one.rows) {
      r.label = label;
      answer.rows.push_back(std::move(r));
    }
    answer.skipped.insert(answer.skipped.end(), one.skipped.begin(), one.skipped.end());
  }
  if (show) fmt::print(stderr, "\r{}\r", std::string(60, ' '));
  fmt::print("{}", o.json ? json_of(answer, o, platform) : o.csv ? csv_of(answer, o) : text_of(answer, o, platform));
  if (!o.compare.empty() && !o.json && !o.csv) fmt::print("{}", overtakings(answer));
  if (o.plot.empty()) return;
  std::ofstream file(o.plot);
  file << plot_of(answer, o, platform);
  if (!file.flush()) throw UserError(ExitCode::usage, fmt::format("cannot write the plot to '{}'", o.plot));
}

}  // namespace

void add_predict(CLI::App& app, const Layout& layout) {
  auto o = std::make_shared<Options>();
  CLI::App* cmd =
      app.add_subcommand("predict", "times of a collective over counts of PEs and sizes, without a program");
  cmd->add_option("collective", o->kind)
      ->check(CLI::IsMember({"barrier", "sync", "broadcast", "fcollect", "alltoall", "reduce", "reducescatter"}));
  cmd->add_option("-p,--platform", o->platform, "platform name or YAML file; default: the first that is large enough");
  cmd->add_option("--pes", o->pes, "counts of PEs: 8, or 2,4,8, or 8:1024 (doubling)")->capture_default_str();
  cmd->add_option("--bytes", o->bytes,
                  "sizes: of a PE's part, of the vector of a broadcast or reduce; 128:1G takes every fourfold")
      ->capture_default_str();
  cmd->add_option("--scope", o->scope, "who calls")
      ->check(CLI::IsMember({"thread", "warp", "block", "on_stream"}))
      ->capture_default_str();
  cmd->add_option("--threads", o->threads, "threads of a block")->check(CLI::Range(1, 1024))->capture_default_str();
  cmd->add_option("--library", o->library, "nvshmem, or nccl for comparison")
      ->check(CLI::IsMember({"nvshmem", "nccl"}))
      ->capture_default_str();
  cmd->add_option(
      "--compare", o->compare,
      "libraries and algorithms beside each other: library[:algorithm[:blocks]],…; says where one overtakes");
  cmd->add_option("--algo", o->algorithm, "auto: as the library chooses; all; or a name")->capture_default_str();
  cmd->add_option("--calls", o->calls, "calls in a row that are averaged")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  cmd->add_option("--element", o->element, "bytes of an element")
      ->check(CLI::IsMember({1, 2, 4, 8}))
      ->capture_default_str();
  cmd->add_flag("--nvls", o->nvls, "teams of one NVLink domain have multicast (programs run without)");
  cmd->add_flag("--graph", o->graph, "on_stream: kernels of a CUDA graph instead of launches");
  cmd->add_option("--blocks", o->blocks,
                  "blocks that share a call in a kernel, each on a team of its own (not in NVSHMEM)")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  cmd->add_flag("--no-fold,--unfolded", o->unfolded, "go through every step, also those that repeat exactly");
  cmd->add_flag("--explain", o->explain, "the path through NVSHMEM's decision tree");
  cmd->add_option("--validate", o->validate,
                  "beside measurements: all, or a file as platforms/measurements/collectives_*.csv; "
                  "--explain shows every row");
  cmd->add_flag("--json", o->json, "as JSON on standard output");
  cmd->add_flag("--csv", o->csv, "as CSV on standard output");
  cmd->add_option("--plot", o->plot, "write latency and bandwidth curves as SVG");
  cmd->callback([o, layout] { run(*o, layout); });
}

}  // namespace shmemu::tools
