// Programs that are wrong in one way each (tests/malformed): the right exit code and one clear message.
// The first two lines of a program say what is expected:
//   // expect: exit=N message="part of the message"
//   // pes: N
#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

struct Expectation {
  int exit = 0;
  std::string message, pes;
};

Expectation read_expectation(const std::string& name) {
  std::vector<std::string> lines = lines_of(read_file(source("tests/" + name + ".cu")));
  static const std::regex first(R"re(// expect: exit=(\d+) message="(.*)")re"), second(R"(// pes: (\d+))");
  std::smatch expect, pes;
  REQUIRE(lines.size() > 2);
  REQUIRE(std::regex_match(lines[0], expect, first));
  REQUIRE(std::regex_match(lines[1], pes, second));
  return {std::stoi(expect[1]), expect[2], pes[1]};
}

}  // namespace

TEST_CASE("malformed programs end with one message and the right exit code") {
  std::vector<std::string> names = programs_of("malformed");
  REQUIRE(names.size() >= 20);
  for (const std::string& name : names) {
    Expectation expected = read_expectation(name);
    Result r = run_program(name, {"-q", "-n", expected.pes});
    INFO(name << " on " << expected.pes << " PEs, expected exit code " << expected.exit << " and \"" << expected.message
              << "\": " << show(r));
    CHECK(r.code == expected.exit);
    CHECK(contains(r.out + r.err, expected.message));
    // nothing of our own code shows
    for (const char* internal : {"internal error", "src/emu", "src/device", "terminate called", "AddressSanitizer"})
      CHECK_FALSE(contains(r.err, internal));
    CHECK_FALSE(contains(r.err, "at a call of the runtime"));  // every place is one of the program
    // What shmemu itself says: one line. A deadlock is that line and one for each thread that waits, indented.
    std::vector<std::string> ours;
    bool any_of_ours = false, only_ours_indented = true;
    for (const std::string& line : lines_of(r.err)) {
      if (line.starts_with("shmemu: ")) {
        any_of_ours = true;
        ours.push_back(line);
      } else if (line.starts_with("  ")) {
        only_ours_indented &= any_of_ours;
      }
    }
    CHECK(ours.size() == (r.code == 0 ? 0u : 1u));
    CHECK(only_ours_indented);
    if (r.code == 4) {
      CHECK(ours.front().starts_with("shmemu: deadlock: "));
      CHECK(contains(r.err, "\n  PE "));
    }
    if (r.code == 1 && r.out.empty()) CHECK(lines_of(r.err).size() <= 1 + static_cast<size_t>(std::stoi(expected.pes)));
  }
}
