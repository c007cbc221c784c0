// The checker: every program of tests/check breaks one rule, between the lines marked FIRST and SECOND; called with
// `right` it runs repaired. The broken one gives exactly its finding, the right one none, and neither takes another
// time. Lines at the top of a program say the rest:
//   // rule: order.overlap          its rule
//   // level: note                  default: error
//   // also: sym.not-symmetric      what it breaks besides, in places of its own
//   // ends: 1                      exit code where the run cannot go on; default: 3, for a note 0
//   // options: -p … -n 2           how it runs, instead of 2, 4 and 16 PEs
// SHMEMU_ALL_SEEDS=1 runs 20 adverse schedules of each at 2, 4 and 16 PEs; else two at 4 (ten minutes against one).
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

// Behind what the program printed.
nlohmann::json report_of(const Result& r) {
  size_t at = r.out.starts_with("{\n") ? 0 : r.out.find("\n{\n");
  return at == std::string::npos ? nlohmann::json{{"findings", nlohmann::json::array()}}
                                 : nlohmann::json::parse(r.out.substr(at));
}

struct Expected {
  std::string rule, level = "error";
  std::set<std::string> also;
  std::set<int> lines;
  int ends = 3;
  std::vector<Words> runs;
};

Words words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

Expected expected_of(const std::string& name) {
  Expected e;
  int number = 0;
  for (const std::string& line : lines_of(read_file(source("tests/" + name + ".cu")))) {
    ++number;
    if (line.starts_with("// rule: ")) e.rule = line.substr(9);
    if (line.starts_with("// level: ")) e.level = line.substr(10);
    if (line.starts_with("// also: ")) e.also.insert(line.substr(9));
    if (line.starts_with("// ends: ")) e.ends = std::stoi(line.substr(9));
    if (line.starts_with("// options: ")) e.runs.push_back(words_of(line.substr(12)));
    if (contains(line, "FIRST") || contains(line, "SECOND")) e.lines.insert(number);
  }
  if (e.level == "note") e.ends = 0;
  if (e.runs.empty()) e.runs = {{"-n", "2"}, {"-n", "4"}, {"-n", "16"}};
  return e;
}

// A schedule that shows the mistake may also make it hang; the rest is as in any other.
void check_broken(const std::string& name, const Expected& expected, const Words& options, bool adverse) {
  Result broken = run_program(name, options);
  INFO(name << ": " << show(broken));
  CHECK((broken.code == expected.ends || (adverse && broken.code == 4)));
  int of_the_rule = 0;
  nlohmann::json report = report_of(broken);
  for (auto& f : report["findings"]) {
    if (expected.also.count(f["rule"]) || (adverse && broken.code == 4 && f["rule"] != expected.rule)) continue;
    ++of_the_rule;
    CHECK(f["rule"] == expected.rule);
    CHECK(f["level"] == expected.level);
    CHECK(std::set<int>{f["first"]["line"].get<int>(), f["second"]["line"].get<int>()} == expected.lines);
  }
  CHECK(of_the_rule >= 1);
}

void check_right(const std::string& name, const Words& options) {
  Result right = run_program(name, options, {"right"});
  INFO(name << " right: " << show(right));
  CHECK(right.code == 0);
  CHECK(report_of(right)["findings"].empty());
}

void check_rule(const std::string& rule) {
  int programs = 0;
  for (const std::string& name : programs_of("check")) {
    Expected expected = expected_of(name);
    if (expected.rule != rule) continue;
    ++programs;
    std::vector<Words> adverse;
    bool all = std::getenv("SHMEMU_ALL_SEEDS") != nullptr;
    for (size_t i = 0; i < expected.runs.size(); ++i) {
      Words run = expected.runs[i];
      run.insert(run.end(), {"--check", "--json"});
      check_broken(name, expected, run, false);
      check_right(name, run);
      if (rule.starts_with("perf.")) continue;  // adverse delivery takes no time that hardware would
      if (!all && i != (expected.runs.size() - 1) / 2) continue;
      for (int seed = 1; seed <= (all ? 20 : 2); ++seed) {
        adverse.push_back(run);
        adverse.back().insert(adverse.back().end(), {"--delivery", "adverse", "--seed", std::to_string(seed)});
      }
    }
    for (const Words& run : adverse) {
      check_broken(name, expected, run, true);
      check_right(name, run);
    }
  }
  CHECK(programs >= 1);
}

// The vocabulary of docs/design/check.md, and whether the checker has the rule of a program.
const std::set<std::string> kRules = {
    "sym.not-symmetric",   "sym.peer-mapping",      "sym.asymmetric-alloc",
    "sym.use-after-free",  "sym.uninitialised",     "order.missing-fence",
    "order.missing-quiet", "order.overlap",         "order.local-race",
    "order.scope",         "order.source-reuse",    "sync.lost-wakeup",
    "sync.never",          "coll.mismatch",         "coll.participation",
    "team.invalid",        "launch.not-coresident", "stream.false-dependency",
    "type.width",          "perf.algo-switch",      "perf.nic-imbalance",
    "perf.issue-limited",  "perf.message-rate",
};

}  // namespace

TEST_CASE("every rule has a program, and every program a rule") {
  std::set<std::string> found;
  for (const std::string& name : programs_of("check")) found.insert(expected_of(name).rule);
  CHECK(found == kRules);
}

// One test per rule: they take seconds each.
TEST_CASE("rule sym.not-symmetric") { check_rule("sym.not-symmetric"); }
TEST_CASE("rule sym.peer-mapping") { check_rule("sym.peer-mapping"); }
TEST_CASE("rule sym.asymmetric-alloc") { check_rule("sym.asymmetric-alloc"); }
TEST_CASE("rule sym.use-after-free") { check_rule("sym.use-after-free"); }
TEST_CASE("rule sym.uninitialised") { check_rule("sym.uninitialised"); }
TEST_CASE("rule order.missing-fence") { check_rule("order.missing-fence"); }
TEST_CASE("rule order.missing-quiet") { check_rule("order.missing-quiet"); }
TEST_CASE("rule order.overlap") { check_rule("order.overlap"); }
TEST_CASE("rule order.local-race") { check_rule("order.local-race"); }
TEST_CASE("rule order.scope") { check_rule("order.scope"); }
TEST_CASE("rule order.source-reuse") { check_rule("order.source-reuse"); }
TEST_CASE("rule sync.lost-wakeup") { check_rule("sync.lost-wakeup"); }
TEST_CASE("rule sync.never") { check_rule("sync.never"); }
TEST_CASE("rule coll.mismatch") { check_rule("coll.mismatch"); }
TEST_CASE("rule coll.participation") { check_rule("coll.participation"); }
TEST_CASE("rule team.invalid") { check_rule("team.invalid"); }
TEST_CASE("rule launch.not-coresident") { check_rule("launch.not-coresident"); }
TEST_CASE("rule stream.false-dependency") { check_rule("stream.false-dependency"); }
TEST_CASE("rule type.width") { check_rule("type.width"); }
TEST_CASE("rule perf.algo-switch") { check_rule("perf.algo-switch"); }
TEST_CASE("rule perf.nic-imbalance") { check_rule("perf.nic-imbalance"); }
TEST_CASE("rule perf.issue-limited") { check_rule("perf.issue-limited"); }
TEST_CASE("rule perf.message-rate") { check_rule("perf.message-rate"); }

TEST_CASE("checking changes no time") {
  Words programs = programs_of("check");
  for (const char* name : {"examples/ring", "examples/ring_allreduce", "examples/jacobi", "examples/queue"})
    programs.push_back(name);
  for (const std::string& name : programs) {
    Result plain = run_program(name, {"-n", "4", "--json"}),
           checked = run_program(name, {"-n", "4", "--json", "--check"});
    INFO(name << ": " << show(plain) << show(checked));
    if (plain.code == 1 || plain.code == 4) continue;  // ends at once, or never
    CHECK(report_of(plain)["digest"] == report_of(checked)["digest"]);
  }
}

TEST_CASE("the right examples have no findings") {
  for (const char* name : {"hello", "ring", "ring_allreduce", "jacobi", "histogram", "transpose", "queue"})
    for (const char* pes : {"2", "4", "16"}) {
      Result r = run_program(std::string("examples/") + name, {"-n", pes, "--check"});
      INFO(name << " on " << pes << " PEs: " << show(r));
      CHECK(r.code == 0);
    }
}

TEST_CASE("SARIF and exit code of a finding") {
  auto file = scratch("findings.sarif");
  Result r = run_program("check/overlap", {"-q", "-n", "2", "--sarif", file.string()});
  INFO(show(r));
  CHECK(r.code == 3);
  auto sarif = nlohmann::json::parse(read_file(file));
  CHECK(sarif["runs"][0]["results"][0]["ruleId"] == "order.overlap");
}
