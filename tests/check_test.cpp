// The checker: every program of tests/check breaks one rule, between the lines marked FIRST and SECOND; called with
// `right` it runs repaired. The broken one gives exactly its finding, the right one none, and neither takes another
// time.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

nlohmann::json report_of(const Result& r) { return nlohmann::json::parse(r.out.substr(r.out.find("{\n"))); }

struct Expected {
  std::string rule;
  std::set<int> lines;
};

Expected expected_of(const std::string& name) {
  Expected e;
  int number = 0;
  for (const std::string& line : lines_of(read_file(source("tests/" + name + ".cu")))) {
    ++number;
    if (line.starts_with("// rule: ")) e.rule = line.substr(9);
    if (contains(line, "FIRST") || contains(line, "SECOND")) e.lines.insert(number);
  }
  return e;
}

}  // namespace

TEST_CASE("a broken program gives exactly its finding at both places, the repaired one none") {
  for (const std::string& name : programs_of("check")) {
    Expected expected = expected_of(name);
    for (const char* pes : {"2", "4", "16"}) {
      Result broken = run_program(name, {"-n", pes, "--check", "--json"});
      INFO(name << " on " << pes << " PEs: " << show(broken));
      CHECK(broken.code == 3);
      auto findings = report_of(broken)["findings"];
      REQUIRE(findings.size() >= 1);
      for (auto& f : findings) {
        CHECK(f["rule"] == expected.rule);
        CHECK(std::set<int>{f["first"]["line"].get<int>(), f["second"]["line"].get<int>()} == expected.lines);
      }
      Result right = run_program(name, {"-n", pes, "--check", "--json"}, {"right"});
      INFO("right: " << show(right));
      CHECK(right.code == 0);
      CHECK(report_of(right)["findings"].empty());
    }
  }
}

TEST_CASE("findings do not depend on the schedule") {
  for (const std::string& name : programs_of("check"))
    for (const char* seed : {"1", "2", "3", "4", "5"}) {
      Result broken = run_program(name, {"-n", "4", "--check", "--json", "--delivery", "adverse", "--seed", seed});
      INFO(name << " seed " << seed << ": " << show(broken));
      CHECK((broken.code == 3 || broken.code == 4));
      Result right =
          run_program(name, {"-n", "4", "--check", "--json", "--delivery", "adverse", "--seed", seed}, {"right"});
      INFO("right: " << show(right));
      CHECK(right.code == 0);
    }
}

TEST_CASE("checking changes no time") {
  Words programs = programs_of("check");
  for (const char* name : {"examples/ring", "examples/ring_allreduce", "examples/jacobi", "examples/queue"})
    programs.push_back(name);
  for (const std::string& name : programs) {
    Result plain = run_program(name, {"-n", "4", "--json"}),
           checked = run_program(name, {"-n", "4", "--json", "--check"});
    INFO(name << ": " << show(plain) << show(checked));
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
