// What releases of NVSHMEM refuse and shmemu does (src/emu/api/limits.def): each row has a program in tests/limits that
// is right, has the finding plat.unsupported at each such call, and ends under `--as RELEASE` as that release ends it.
// The first lines of a program say how to run it, and which releases refuse it or ignore the call.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

struct Row {
  std::string name;
  bool known_to_3_5;  // a later release can do it: no finding
};

std::vector<Row> rows() {
  static const std::regex start(R"(LIMIT\((\w+), )");
  std::string text = read_file(source("src/emu/api/limits.def"));
  std::vector<Row> out;
  for (std::sregex_iterator i(text.begin(), text.end(), start), end; i != end; ++i)
    if ((*i)[1] != "name") {
      std::string rest = i->suffix().str();
      out.push_back({(*i)[1], contains(rest.substr(0, rest.find("\nLIMIT(")), "\"\"")});
    }
  return out;
}

Words words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

struct Program {
  Words options;
  std::string releases;
  bool ignores;
};

Program read_program(const std::string& name) {
  std::vector<std::string> lines = lines_of(read_file(source("tests/limits/" + name + ".cu")));
  REQUIRE(lines[0].starts_with("// run: "));
  bool ignores = lines[1].starts_with("// ignored by: ");
  REQUIRE((ignores || lines[1].starts_with("// refused by: ")));
  return {words_of(lines[0].substr(8)), lines[1], ignores};
}

}  // namespace

TEST_CASE("limits: every row has a program") {
  std::vector<std::string> expected;
  for (const Row& row : rows()) expected.push_back("limits/" + row.name);
  std::sort(expected.begin(), expected.end());
  CHECK(programs_of("limits") == expected);
}

TEST_CASE("limits: by default the call works, and is a finding if no release can do it") {
  for (const Row& row : rows()) {
    Program p = read_program(row.name);
    p.options.push_back("--json");
    Result r = run_program("limits/" + row.name, p.options);
    INFO(row.name << ": " << show(r));
    CHECK(r.code == 0);
    CHECK(contains(r.out, row.name + " ok"));
    auto findings = nlohmann::json::parse(r.out.substr(r.out.find("{\n")))["findings"];
    CHECK(findings.empty() == row.known_to_3_5);
    for (auto& f : findings) {
      CHECK(f["rule"] == "plat.unsupported");
      CHECK(contains(f["first"]["file"], row.name + ".cu"));
      CHECK(f["remedy"] != "");
    }
  }
}

TEST_CASE("limits: --as a release ends the call as that release does") {
  for (const Row& row : rows())
    for (const char* release : {"3.3.9", "3.5"}) {
      Program p = read_program(row.name);
      p.options.insert(p.options.end(), {"-q", "--as", release});
      Result r = run_program("limits/" + row.name, p.options);
      INFO(row.name << " as " << release << ": " << show(r));
      std::string message = std::string("NVSHMEM ") + release;
      if (!contains(p.releases, release)) {
        CHECK(r.code == 0);
        CHECK(r.err.empty());
      } else if (p.ignores) {
        CHECK(r.code == 1);  // the program sees that nothing has happened
        CHECK(contains(r.err, "not implemented in " + message));
      } else {
        CHECK(r.code == 1);
        CHECK(contains(r.err, "plat.unsupported"));
        CHECK(contains(r.err, message));
        CHECK_FALSE(contains(r.out, row.name + " ok"));
      }
    }
}
