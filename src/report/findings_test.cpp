#include "report/findings.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace shmemu;

namespace {

Finding race(const std::string& file, int first, int second) {
  Finding f;
  f.rule = "order.local-race";
  f.what = "what";
  f.remedy = "remedy";
  f.first = {file, first, "PE 0", "put"};
  f.second = {file, second, "PE 1", "plain load"};
  return f;
}

}  // namespace

TEST_CASE("findings of one rule between the same lines are one, counted") {
  Findings list;
  for (int i = 0; i < 3; ++i) list.add(race("a.cu", 1, 2));
  list.add(race("a.cu", 1, 3));
  REQUIRE(list.list().size() == 2);
  CHECK(list.list()[0].count == 3);
  CHECK(list.errors() == 2);
}

TEST_CASE("a comment in the source allows a rule on its line and on the next, no other rule") {
  auto file = std::filesystem::temp_directory_path() / ("shmemu-findings-" + std::to_string(getpid()) + ".cu");
  std::ofstream(file)
      << "put();  // shmemu: allow order.local-race\nload();\nput();  // shmemu: allow order.overlap\nload();\n";
  Findings list;
  list.add(race(file.string(), 1, 4));
  list.add(race(file.string(), 3, 4));
  std::filesystem::remove(file);
  REQUIRE(list.list().size() == 1);
  CHECK(list.list()[0].first.line == 3);
  CHECK(list.suppressed() == 1);
}

TEST_CASE("a finding about one call has one place, in text and in SARIF") {
  Findings list;
  Finding f = race("a.cu", 3, 0);
  f.rule = "plat.unsupported";
  f.second = {};
  list.add(f);
  CHECK(list.text() == "finding: plat.unsupported: what\n  at:     put at a.cu:3 (PE 0)\n  remedy: remedy\n");
  auto result = nlohmann::json::parse(list.sarif("prog"))["runs"][0]["results"][0];
  CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 3);
  CHECK_FALSE(result.contains("relatedLocations"));
}

TEST_CASE("SARIF has both places, the rule and the count of a finding") {
  Findings list;
  list.add(race("a.cu", 1, 2));
  list.add(race("a.cu", 1, 2));
  auto sarif = nlohmann::json::parse(list.sarif("prog"));
  CHECK(sarif["version"] == "2.1.0");
  auto result = sarif["runs"][0]["results"][0];
  CHECK(result["ruleId"] == "order.local-race");
  CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2);
  CHECK(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 1);
  CHECK(result["occurrenceCount"] == 2);
}
