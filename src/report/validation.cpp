#include "report/validation.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/errors.hpp"
#include "base/statistics.hpp"

namespace shmemu::validation {
namespace {

using Words = std::vector<std::string>;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

double number(const std::string& text) { return text.empty() ? 0 : std::stod(text); }

double microseconds(double bytes, double gb_per_s) { return bytes / gb_per_s * 1e-3; }

// ---- nvshmem_probe: test,scope,npes,ctas,threads,bytes,metric,median,min,max ----

Row probe_row(const Words& f, const std::map<std::string, int>& rows_of_test) {
  Row r;
  r.test = f[0], r.scope = f[1], r.pes = std::stoi(f[2]), r.blocks = std::stoi(f[3]), r.threads = std::stoi(f[4]);
  r.bytes = std::stoull(f[5]), r.metric = f[6], r.measured = number(f[7]), r.probe = true;
  static const std::set<std::string> collectives{"alltoall",   "broadcast",   "fcollect",
                                                 "reduce_sum", "barrier_all", "sync_all"};
  static const std::set<std::string> launches{"empty_kernel_in_stream", "launch_and_sync", "putmem"};
  bool scalar = rows_of_test.at(r.test) == 1 && !launches.count(r.test) && !r.test.starts_with("pingpong");
  r.table = scalar                                           ? "probe: single operations"
            : r.test.starts_with("pingpong")                 ? "probe: ping-pongs"
            : launches.count(r.test)                         ? "probe: launches and puts on a stream"
            : has(r.test, "barrier") || r.test == "sync_all" ? "probe: barriers"
            : has(r.test, "rate")                            ? "probe: rates of atomics"
            : has(r.test, "bw") && r.test != "put_bw" && r.test != "local_put_bw"
                ? "probe: bandwidth of p, g, loads, stores"
                : fmt::format("probe: {} {}", r.test, r.scope);
  if (collectives.count(r.test)) r.why_not = "a collective: docs/design/collectives.md";
  return r;
}

// ---- published points: id,source,year,hardware,nodes,gpus,operation,scope,transport,size_bytes,metric,value,notes
// ----

// Loops of perftest over one or two nodes; whether the row is one of them.
bool published_loop(Row& r, const std::string& prefix, int number_of_id) {
  static const std::map<std::string, std::tuple<const char*, const char*, const char*>> loops{
      {"PUT", {"put_loop", "block", "NVLink put, 32 blocks"}},
      {"GET", {"get_loop", "block", "NVLink get, 32 blocks"}},
      {"P", {"p_loop", "thread", "NVLink p, 32 blocks"}},
      {"G", {"g_loop", "thread", "NVLink g, 32 blocks"}},
      {"PUTIB", {"put_loop", "block", "IBGDA put, one queue pair"}},
      {"PIB", {"p_loop", "thread", "IBGDA p, one queue pair"}}};
  r.blocks = 32, r.threads = 256, r.iterations = 50;
  if (auto at = loops.find(prefix); at != loops.end()) {
    std::tie(r.test, r.scope, r.table) = at->second;
    if (prefix.ends_with("IB")) r.setup = Setup::ibgda_one_queue;
    return true;
  }
  if (prefix == "CTA" && number_of_id <= 4) {
    r.table = "NVLink bulk over blocks, 1 MiB";
    r.test = number_of_id == 4 ? "get_loop" : "put_loop", r.scope = "block", r.iterations = 10;
    r.blocks = number_of_id == 2 ? 8 : number_of_id == 3 ? 32 : 1;
    return true;
  }
  if (prefix == "ITER" && (number_of_id == 8 || number_of_id == 11 || number_of_id == 12)) {
    r.table = "IBGDA get and g, one queue pair", r.setup = Setup::ibgda_one_queue;
    r.test = number_of_id == 8 ? "get_loop" : "g_loop", r.scope = number_of_id == 8 ? "block" : "thread";
    return true;
  }
  return false;
}

bool published_round(Row& r, const std::string& prefix, const std::string& operation, const std::string& transport) {
  bool proxy = transport == "IBRC";
  if (proxy) r.setup = Setup::proxy;
  if (prefix == "PP") {
    bool all = has(operation, "256 threads");
    r.test = has(operation, "signal_op SET") ? "signal_ping_pong" : all ? "p_ping_pong" : "ping_pong";
    r.table =
        fmt::format("{} {} round trip", proxy ? "proxy" : "NVLink", all ? "p, fence, signal" : "put, fence, signal");
    r.threads = all ? 256 : 1, r.iterations = 500;
    return true;
  }
  if (prefix == "BAR") {
    r.test = has(operation, "barrier_all") ? "barrier_all" : "barrier", r.pes = proxy ? 16 : 8;
    r.table = proxy ? "barriers, 16 PEs on two nodes" : "barriers, 8 PEs on one node";
    r.threads = r.scope == "block" ? 256 : 32, r.iterations = 10;
    if (r.scope == "block" && r.test == "barrier_all") r.iterations = 5, r.measured *= 2;  // see published_rma.csv
    return true;
  }
  return false;
}

// One thread, 8 B, adapters at 200 Gb/s; of NVSHMEM on the cluster of H200 only.
bool published_operation(Row& r, const std::string& operation, const std::string& transport,
                         const std::string& hardware) {
  if (!hardware.starts_with("P-IB") || !has(operation, "NVSHMEM")) return false;
  if (transport == "IBRC" && r.metric == "latency_us") {
    r.table = "proxy, one operation", r.setup = Setup::proxy;
  } else if (transport == "IBGDA" && has(operation, "public") && r.metric == "latency_us") {
    r.table = "IBGDA, one operation", r.setup = Setup::ibgda;
  } else {
    return false;
  }
  r.iterations = 20;
  bool rounds = has(operation, "round trip");
  if (rounds)
    r.test = r.setup == Setup::proxy ? "signal_ping_pong" : "put_signal_round_trip";  // a proxy's: one request each way
  else
    r.test = has(operation, "put issue") ? "put_issue" : has(operation, "completion") ? "put_quiet" : "";
  return !r.test.empty();
}

Row published_row(const Words& f) {
  Row r;
  r.id = f[0];
  size_t dash = r.id.rfind('-');
  std::string prefix = r.id.substr(0, dash);
  int number_of_id = dash == std::string::npos ? 0 : std::atoi(r.id.c_str() + dash + 1);
  r.scope = f[7], r.bytes = f[9].empty() ? 0 : std::stoull(f[9]), r.metric = f[10];
  r.measured = number(f[11]);
  r.table = prefix;
  if (!published_loop(r, prefix, number_of_id) && !published_round(r, prefix, f[6], f[8]) &&
      !published_operation(r, f[6], f[8], f[3])) {
    r.why_not = prefix == "ITER" ? "derived from another row" : "no loop of ours: " + f[6];
    return r;
  }
  if (r.metric == "bandwidth_GBps")
    r.measured = microseconds(static_cast<double>(r.bytes), r.measured), r.metric = "latency_us";
  return r;
}

// ---- perftest: program,arguments,scope_or_type,bytes,value,unit ----

int argument(const std::string& arguments, char flag, int otherwise) {
  std::smatch found;
  return std::regex_search(arguments, found, std::regex(fmt::format("-{} (\\d+)", flag))) ? std::stoi(found[1])
                                                                                          : otherwise;
}

Row perftest_row(const std::string& program, const std::string& arguments, const std::string& kind, uint64_t bytes,
                 double value, const std::string& unit) {
  Row r;
  r.perftest = true, r.table = fmt::format("perftest: {} {}", program, arguments), r.bytes = bytes, r.measured = value;
  r.blocks = argument(arguments, 'c', 32), r.threads = argument(arguments, 't', 256);
  r.iterations = argument(arguments, 'n', 10);
  static const std::map<std::string, std::pair<const char*, const char*>> loops{{"shmem_put_bw", {"put_loop", "block"}},
                                                                                {"shmem_get_bw", {"get_loop", "block"}},
                                                                                {"shmem_p_bw", {"p_loop", "thread"}},
                                                                                {"shmem_g_bw", {"g_loop", "thread"}}};
  if (auto at = loops.find(program); at != loops.end()) {
    std::tie(r.test, r.scope) = at->second;
    if (unit.starts_with("GB")) r.measured = microseconds(static_cast<double>(bytes), value);
  } else if (program == "shmem_put_latency") {
    r.test = "put_latency", r.scope = kind, r.table += " " + kind, r.blocks = 1;
    r.threads = kind == "thread" ? 1 : kind == "warp" ? 32 : r.threads;
  } else if (program == "shmem_put_signal_ping_pong_latency") {
    r.test = "put_signal_ping_pong", r.blocks = r.threads = 1;
  } else if (program == "barrier_latency") {
    size_t space = kind.find(' ');
    r.test = kind.substr(0, space), r.scope = kind.substr(space + 1), r.blocks = 1;
    r.threads = r.scope == "block" ? static_cast<int>(bytes) : 32, r.bytes = 0;
  } else {
    r.why_not = "no loop of ours: " + program;
  }
  return r;
}

// What perftest programs print: "#program", a heading, rows of size, scope, value; options are in the listing before.
std::vector<Row> perftest_text(std::istream& in) {
  std::vector<Row> rows;
  std::string program, unit, arguments, line;
  std::regex option("(iterations|number of ctas|threads per cta): (\\d+)");
  while (std::getline(in, line)) {
    std::smatch found;
    if (has(line, "iterations:")) {
      std::map<std::string, std::string> given;
      for (std::sregex_iterator at(line.begin(), line.end(), option), end; at != end; ++at)
        given.emplace((*at)[1], (*at)[2]);  // the first "iterations" is not that of the warm-up
      arguments =
          fmt::format("-c {} -t {} -n {}", given["number of ctas"], given["threads per cta"], given["iterations"]);
    } else if (line.starts_with("#")) {
      program = line.substr(1, line.find_first_of(" \r\t", 1) - 1);
    } else if (line.starts_with("size(B)") || line.starts_with("size(")) {
      unit = has(line, "GB/sec") ? "GB/s" : "us";
    } else if (!program.empty() &&
               std::regex_match(line, found, std::regex("\\s*(\\d+)\\s+(\\S+)\\s+([0-9.]+)\\s*.*"))) {
      std::string scope = found[2];
      std::transform(scope.begin(), scope.end(), scope.begin(), [](unsigned char c) { return std::tolower(c); });
      rows.push_back(perftest_row(program, arguments, scope, std::stoull(found[1]), std::stod(found[3]), unit));
    }
  }
  return rows;
}

// ---- sources of constants ----

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> out;
  std::regex word("[A-Za-z0-9_]+");
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) out.insert(at->str());
  return out;
}

// The sizes a source names: single ones, or from … to. "64 B, 4 KiB", "1-32 MiB", "256 B to 64 KiB".
struct Sizes {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  bool none() const { return ranges.empty(); }
  bool contain(uint64_t bytes) const {
    return std::any_of(ranges.begin(), ranges.end(), [&](auto& r) { return r.first <= bytes && bytes <= r.second; });
  }
};

Sizes sizes_of(const std::string& text) {
  Sizes out;
  auto bytes = [](const std::string& n, const std::string& unit) {
    return std::stoull(n) << (unit == "KiB" ? 10 : unit == "MiB" ? 20 : 0);
  };
  std::regex size("(?:(\\d+)(?: (B|KiB|MiB))?(?:-| to ))?(\\d+) (B|KiB|MiB)\\b");
  for (std::sregex_iterator at(text.begin(), text.end(), size), end; at != end; ++at) {
    const std::smatch& m = *at;
    uint64_t last = bytes(m[3], m[4]);
    out.ranges.emplace_back(m[1].matched ? bytes(m[1], m[2].matched ? m[2] : m[4]) : last, last);
  }
  return out;
}

// "BAY 025" and "BAY-025" are the same row; "PP-014 to PP-020" is all between.
bool names_id(const std::string& source, const Row& row) {
  size_t dash = row.id.rfind('-');
  std::string prefix = row.id.substr(0, dash);
  int number_of_id = std::atoi(row.id.c_str() + dash + 1);
  std::regex mention("\\b" + prefix + "(?:[- ](\\d{3})(?: to " + prefix + "-(\\d{3}))?)?(?![A-Za-z0-9])");
  for (std::sregex_iterator at(source.begin(), source.end(), mention), end; at != end; ++at) {
    const std::smatch& m = *at;
    if (m[1].matched) {
      int first = std::stoi(m[1]), last = m[2].matched ? std::stoi(m[2]) : first;
      if (first <= number_of_id && number_of_id <= last) return true;
    } else if (prefix != "BAY" && prefix != "P" && prefix != "G" && prefix != "CTA") {  // those words are also others
      Sizes sizes = sizes_of(source);
      if (sizes.none() || sizes.contain(row.bytes)) return true;
    }
  }
  return false;
}

bool names_test(const std::string& source, const Row& row) {
  if (!source.starts_with("RMA ") || has(source, "perftest") != row.perftest) return false;
  auto words = words_of(source);
  std::string program = row.table.substr(0, row.table.find(" -"));
  bool named = row.perftest ? std::any_of(words.begin(), words.end(),
                                          [&](auto& w) { return has(w, "_") && program.ends_with(w); })
                            : words.count(row.test) > 0;
  if (!named) return false;
  bool scoped = words.count("thread") || words.count("warp") || words.count("block");
  if (scoped && !words.count(row.scope)) return false;
  std::smatch blocks;
  if (std::regex_search(source, blocks, std::regex("(\\d+) CTA")) && std::stoi(blocks[1]) != row.blocks) return false;
  Sizes sizes = sizes_of(source);
  return sizes.none() || sizes.contain(row.bytes);
}

void collect(const YAML::Node& node, const std::string& name, std::vector<Constant>& out) {
  if (node.IsMap())
    for (const auto& item : node) {
      auto key = item.first.as<std::string>();
      collect(item.second, name.empty() ? key : name + "." + key, out);
    }
  else if (node.IsSequence() && node.size() == 3)
    out.push_back({name, node[2].as<std::string>()});
}

}  // namespace

std::string Row::key() const {
  if (probe) return fmt::format("{},{},{},{},{},{},{},", test, scope, pes, blocks, threads, bytes, metric);
  return fmt::format("{}:{}:{}:{}:{}:{}", test, scope, blocks, threads, bytes, iterations);
}

std::vector<Row> read_rows(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw UserError(ExitCode::usage, fmt::format("cannot read '{}'", file.string()));
  std::string line;
  while (std::getline(in, line) && line.starts_with("# ")) {
  }
  auto lines = [&](size_t columns) {
    std::vector<Words> out;
    while (std::getline(in, line)) {
      std::erase(line, '\r');
      if (!line.empty() && !line.starts_with("#"))
        if (Words f = fields_of(line); f.size() >= columns) out.push_back(std::move(f));
    }
    return out;
  };
  std::vector<Row> rows;
  try {
    if (line.starts_with("test,scope,npes,")) {
      auto all = lines(10);
      std::map<std::string, int> count;
      for (auto& f : all)
        if (f[0] != "test") ++count[f[0]];
      for (auto& f : all)
        if (f[0] != "test") rows.push_back(probe_row(f, count));
    } else if (line.starts_with("id,source,")) {
      for (auto& f : lines(12)) rows.push_back(published_row(f));
    } else if (line.starts_with("program,arguments,")) {
      for (auto& f : lines(6)) rows.push_back(perftest_row(f[0], f[1], f[2], std::stoull(f[3]), std::stod(f[4]), f[5]));
    } else {
      in.clear();
      in.seekg(0);
      rows = perftest_text(in);
    }
  } catch (const std::logic_error& e) {
    throw UserError(ExitCode::usage, fmt::format("{}: '{}' has a number that cannot be read", file.string(), line));
  }
  if (rows.empty())
    throw UserError(ExitCode::usage,
                    fmt::format("{}: no rows; known are CSVs that begin with test,scope,npes or id,source or "
                                "program,arguments, and what perftest prints",
                                file.string()));
  return rows;
}

std::vector<Constant> read_constants(const std::filesystem::path& file) {
  std::vector<Constant> out;
  collect(YAML::LoadFile(file.string()), "", out);
  return out;
}

std::string fitted_by(const Row& row, const std::vector<Constant>& constants) {
  for (const Constant& c : constants)
    if (row.id.empty() ? names_test(c.source, row) : names_id(c.source, row)) return c.name;
  return "";
}

namespace {

std::vector<double> counted_errors(const Table& t) {
  std::vector<double> out;
  for (const Row* r : t.rows)
    if (t.fitted() || r->fitted_by.empty()) out.push_back(std::abs(r->error_percent()));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

size_t Table::unfitted() const {
  return static_cast<size_t>(
      std::count_if(rows.begin(), rows.end(), [](const Row* r) { return r->fitted_by.empty(); }));
}

double Table::median_error_percent() const { return median(counted_errors(*this)); }

double Table::max_error_percent() const { return counted_errors(*this).back(); }

std::vector<Table> tables_of(const std::vector<Row>& rows) {
  std::vector<Table> tables;
  for (const Row& r : rows) {
    if (!r.predicted) continue;
    auto at = std::find_if(tables.begin(), tables.end(), [&](auto& t) { return t.name == r.table; });
    if (at == tables.end()) at = tables.insert(tables.end(), Table{r.table, {}});
    at->rows.push_back(&r);
  }
  return tables;
}

}  // namespace shmemu::validation
