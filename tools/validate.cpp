// `shmemu validate`: runs the loops that published tables measured, emulated, and prints predicted beside measured. The
// rows and what is known about them: report/validation.hpp. The loops: tests/validation/loop_probe.cu and
// nvshmem_probe.cu.
#include "validate.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "cc_process.hpp"
#include "report/validation.hpp"

namespace shmemu::tools {
namespace {

using namespace validation;
using Words = std::vector<std::string>;

struct Options {
  std::vector<std::string> files;
  std::string only;
  bool all = false, json = false, full = false;
};

struct Machine {
  const char* platform;
  Words environment;
};

Machine machine_of(Setup setup) {
  const std::string ibgda = "NVSHMEM_IB_ENABLE_IBGDA=1", one = "NVSHMEM_IBGDA_NUM_RC_PER_PE=1";
  switch (setup) {
    case Setup::nvlink:
      return {"hgx-h200", {}};
    case Setup::ibgda:
      return {"coreweave-2x8", {ibgda}};
    case Setup::ibgda_one_queue:
      return {"coreweave-2x8", {ibgda, one}};
    case Setup::proxy:
      break;
  }
  return {"coreweave-2x8", {}};
}

// Emulated element by element: what would take minutes is left to --full.
bool is_long(const Row& r) {
  if (r.probe) return r.bytes > (1 << 20);
  double elements = r.test == "p_loop"   ? static_cast<double>(r.bytes) / 4
                    : r.test == "g_loop" ? static_cast<double>(r.bytes)
                                         : 0;
  if (r.test == "put_loop" || r.test == "get_loop") return r.bytes > (4 << 20);
  return elements * r.iterations > 1e6;
}

// Of nvshmem_probe.
std::string section_of(const Row& r) {
  auto has = [&](const char* part) { return r.test.find(part) != std::string::npos; };
  if (has("_bw") || has("_rate")) return "bw";
  if (r.test.starts_with("pingpong")) return "pingpong";
  if (has("put_quiet") || has("put_nbi_issue") || r.test == "get") return "rma";
  if (has("kernel") || has("launch")) return "launch";
  if (r.scope == "stream" || has("putmem")) return "on_stream";
  return "scalar";
}

class Runner {
 public:
  explicit Runner(const Layout& layout) : layout_(layout), folder_(/*keep=*/false) {}

  // Fills in what can be predicted.
  void predict(std::vector<Row>& rows, bool full) {
    std::map<std::tuple<bool, Setup, int>, std::vector<Row*>> runs;
    for (Row& r : rows) {
      if (!r.why_not.empty()) continue;
      if (!full && is_long(r))
        r.why_not = "minutes to emulate: --full";
      else
        runs[{r.probe, r.setup, r.pes}].push_back(&r);
    }
    for (auto& [what, some] : runs) run(std::get<0>(what), std::get<1>(what), std::get<2>(what), some, full);
  }

 private:
  void run(bool probe, Setup setup, int pes, const std::vector<Row*>& rows, bool full) {
    Machine machine = machine_of(setup);
    Words command{"env"};
    command.insert(command.end(), machine.environment.begin(), machine.environment.end());
    command.insert(command.end(), {shmemu(), "run", "-q", "-n", std::to_string(pes), "-p", machine.platform});
    if (setup != Setup::nvlink) command.insert(command.end(), {"--pes-per-node", std::to_string(pes / 2)});
    command.push_back(program(probe ? "nvshmem_probe" : "loop_probe"));
    if (probe) {
      std::set<std::string> sections;
      for (const Row* r : rows) sections.insert(section_of(*r));
      command.insert(command.end(), sections.begin(), sections.end());
      if (!full) command.push_back("bytes=1048576");
    } else {
      std::set<std::string> asked;
      for (const Row* r : rows)
        if (asked.insert(r->key()).second) command.push_back(r->key());
    }
    if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r{} rows of {} PEs on {} … ", rows.size(), pes, machine.platform);
    std::map<std::string, double> answers;
    std::istringstream out(capture(command));
    for (std::string line; std::getline(out, line);) {
      std::string value;
      if (probe) {  // the beginning of the line up to the seventh comma names the row
        size_t at = 0;
        for (int i = 0; i < 7 && at != std::string::npos; ++i) at = line.find(',', at) + 1;
        answers[line.substr(0, at)] = std::strtod(line.c_str() + at, nullptr);
      } else if (size_t space = line.find(' '); space != std::string::npos) {
        answers[line.substr(0, space)] = std::strtod(line.c_str() + space, nullptr);
      }
    }
    if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r{}\r", std::string(70, ' '));
    for (Row* r : rows)
      if (auto found = answers.find(r->key()); found != answers.end())
        r->predicted = found->second;
      else
        r->why_not = "the program did not print it";
  }

  std::string shmemu() const { return (layout_.prefix / "bin" / "shmemu").string(); }

  std::string program(const std::string& name) {
    auto built = folder_.path() / name, source = layout_.validation() / (name + ".cu");
    if (!std::filesystem::exists(built) &&
        cc::run({{shmemu(), "cc", source.string(), "-o", built.string()}, {}, {}}, false) != 0)
      throw UserError(ExitCode::program_failed, fmt::format("'{}' cannot be compiled", source.string()));
    return built.string();
  }

  static std::string capture(const Words& words) {
    int ends[2];
    if (pipe(ends) != 0) throw UserError(ExitCode::program_failed, "no pipe to a child process");
    pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]), close(ends[1]);
      std::vector<char*> arguments;
      for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
      arguments.push_back(nullptr);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      throw UserError(ExitCode::program_failed,
                      fmt::format("{} failed", fmt::join(words.begin(), words.begin() + 8, " ")));
    return text;
  }

  const Layout& layout_;
  cc::TemporaryDirectory folder_;
};

std::string name_of(const Row& r) {
  return r.id.empty() ? fmt::format("{} {} {} x {}, {} B", r.test, r.scope, r.blocks, r.threads, r.bytes) : r.id;
}

void print_json(const std::vector<Row>& rows) {
  using Json = nlohmann::ordered_json;
  Json tables = Json::array(), left = Json::array();
  for (const Table& t : tables_of(rows)) {
    Json points = Json::array();
    for (const Row* r : t.rows) {
      Json point{{"id", r->id},
                 {"test", r->test},
                 {"scope", r->scope},
                 {"pes", r->pes},
                 {"blocks", r->blocks},
                 {"threads", r->threads},
                 {"bytes", r->bytes},
                 {"metric", r->metric},
                 {"measured", r->measured},
                 {"predicted", *r->predicted},
                 {"error_percent", r->error_percent()},
                 {"fitted", !r->fitted_by.empty()}};
      if (!r->fitted_by.empty()) point["sets"] = r->fitted_by;
      points.push_back(std::move(point));
    }
    tables.push_back({{"name", t.name},
                      {"fitted", t.fitted()},
                      {"rows", t.rows.size()},
                      {"unfitted_rows", t.unfitted()},
                      {"median_error_percent", t.median_error_percent()},
                      {"max_error_percent", t.max_error_percent()},
                      {"points", std::move(points)}});
  }
  for (const Row& r : rows)
    if (!r.predicted) left.push_back({{"row", r.id.empty() ? r.table + ": " + name_of(r) : r.id}, {"why", r.why_not}});
  fmt::print("{}\n", Json{{"version", 1}, {"tables", tables}, {"not_run", left}}.dump(1));
}

void print_text(const std::vector<Row>& rows, bool all) {
  if (all)
    for (const Row& r : rows)
      if (r.predicted)
        fmt::print("{:<50}{:<34}{:>12.4f}{:>12.4f}{:>+8.1f} %{}\n", r.table.substr(0, 49), name_of(r), r.measured,
                   *r.predicted, r.error_percent(), r.fitted_by.empty() ? "" : "  sets " + r.fitted_by);
  fmt::print("{:<66}{:>5}{:>10}{:>10}{:>8}   {}\n", "errors over the rows that set no constant", "rows", "unfitted",
             "median %", "max %", "worst row");
  std::vector<double> everything;
  for (const Table& t : tables_of(rows)) {
    const Row* worst = nullptr;
    for (const Row* r : t.rows) {
      if (!t.fitted() && !r->fitted_by.empty()) continue;
      if (!worst || std::abs(r->error_percent()) > std::abs(worst->error_percent())) worst = r;
      if (r->fitted_by.empty()) everything.push_back(std::abs(r->error_percent()));
    }
    fmt::print("{:<66}{:>5}{:>10}{:>10.1f}{:>8.1f}   {}: measured {:.4f}, predicted {:.4f}\n", t.name.substr(0, 65),
               t.rows.size(), t.fitted() ? "none" : std::to_string(t.unfitted()), t.median_error_percent(),
               t.max_error_percent(), name_of(*worst), worst->measured, *worst->predicted);
  }
  std::sort(everything.begin(), everything.end());
  if (!everything.empty())
    fmt::print("{} unfitted rows: median {:.1f} %, 95 % within {:.1f} %\n", everything.size(),
               everything[everything.size() / 2], everything[(everything.size() - 1) * 95 / 100]);
  std::map<std::string, std::map<std::string, int>> left;  // why → table → rows
  for (const Row& r : rows)
    if (!r.predicted) ++left[r.why_not][r.table];
  for (auto& [why, tables] : left) {
    int count = 0;
    Words names;
    for (auto& [table, n] : tables) count += n, names.push_back(fmt::format("{} ({})", table, n));
    fmt::print("{} rows not run, {}: {}\n", count, why, fmt::join(names, ", "));
  }
}

void run(const Options& o, const Layout& layout) {
  std::vector<std::filesystem::path> files(o.files.begin(), o.files.end());
  if (files.empty())
    for (const char* name : {"h200x2_nvshmem345.csv", "h200x2_perftest345.csv", "published_rma.csv"})
      files.push_back(layout.platforms() / "measurements" / name);
  std::vector<Constant> constants;
  for (const char* part : {"gpus/h200.yaml", "gpus/host-default.yaml", "nics/connectx7-ndr400.yaml"})
    for (Constant& c : read_constants(layout.platforms() / part)) constants.push_back(std::move(c));
  std::vector<Row> rows;
  for (auto& file : files)
    for (Row& r : read_rows(file))
      if (std::regex_search(r.table, std::regex(o.only))) rows.push_back(std::move(r));
  for (Row& r : rows) r.fitted_by = fitted_by(r, constants);
  Runner(layout).predict(rows, o.full);
  if (o.json)
    print_json(rows);
  else
    print_text(rows, o.all);
}

}  // namespace

void add_validate(CLI::App& app, const Layout& layout) {
  auto o = std::make_shared<Options>();
  CLI::App* cmd = app.add_subcommand("validate", "predicted beside measured, table by table");
  cmd->add_option("--data", o->files,
                  "measured rows instead of the shipped ones: the CSV of nvshmem_probe, published points, perftest's "
                  "results or what perftest prints");
  cmd->add_option("--only", o->only, "tables whose names match this regular expression");
  cmd->add_flag("--all", o->all, "every row");
  cmd->add_flag("--full", o->full, "also the rows that take minutes to emulate");
  cmd->add_flag("--json", o->json, "as JSON on standard output");
  cmd->callback([o, layout] { run(*o, layout); });
}

}  // namespace shmemu::tools
