// gdb stops at a line of a kernel and shows a local of it, in a program built with -O0 -g.
#include <catch2/catch.hpp>

#include <stdexcept>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

bool have_gdb() {
  try {
    return run({"gdb", "--version"}).code == 0;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("gdb stops at a kernel line and shows a local") {
  if (!have_gdb()) {
    WARN("skipped: gdb is not installed (./dev packages installs it)");
    return;
  }
  std::string file = source("tests/programs/debugged.cu").string();
  int line = 0, number = 0;
  for (const std::string& text : lines_of(read_file(file))) {
    ++number;
    if (contains(text, "// stop here")) line = number;
  }
  REQUIRE(line > 0);
  Result r = run({"gdb",
                  "-batch",
                  "-nx",
                  "-ex",
                  "set breakpoint pending on",
                  "-ex",
                  "set debuginfod enabled off",
                  "-ex",
                  "break debugged.cu:" + std::to_string(line),
                  "-ex",
                  "run",
                  "-ex",
                  "print doubled",
                  "-ex",
                  "info symbol $pc",
                  "--args",
                  SHMEMU_BINARY,
                  "run",
                  "-q",
                  "-n",
                  "1",
                  program("gdb/debugged").string()},
                 120);
  INFO(show(r));
  CHECK(contains(r.out, "debugged.cu:" + std::to_string(line)));
  CHECK(contains(r.out, "= 42"));
}
