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

namespace {

// gdb with these commands on tests/programs/debugged.cu, stopped at its marked line.
Result debug(int pes, const Words& commands) {
  std::string file = source("tests/programs/debugged.cu").string();
  int line = 0, number = 0;
  for (const std::string& text : lines_of(read_file(file))) {
    ++number;
    if (contains(text, "// stop here")) line = number;
  }
  REQUIRE(line > 0);
  Words words{"gdb",
              "-batch",
              "-nx",
              "-ex",
              "set debuginfod enabled off",
              "-x",
              source("tools/gdb/shmemu_gdb.py").string(),
              "-ex",
              "break debugged.cu:" + std::to_string(line),
              "-ex",
              "run"};
  for (const std::string& command : commands) words.insert(words.end(), {"-ex", command});
  for (const std::string& word :
       {std::string("--args"), std::string(SHMEMU_BINARY), std::string("run"), std::string("-q"), std::string("-n"),
        std::to_string(pes), program("gdb/debugged").string()})
    words.push_back(word);
  Result r = run(words, 120);
  UNSCOPED_INFO(show(r));
  CHECK(contains(r.out, "debugged.cu:" + std::to_string(line)));
  return r;
}

}  // namespace

TEST_CASE("gdb stops at a kernel line and shows a local") {
  if (!have_gdb()) {
    WARN("skipped: gdb is not installed (./dev packages installs it)");
    return;
  }
  Result r = debug(1, {"print doubled"});
  CHECK(contains(r.out, "= 42"));
}

TEST_CASE("gdb lists PEs and threads, looks at a suspended one and goes on") {
  if (!have_gdb()) {
    WARN("skipped: gdb is not installed (./dev packages installs it)");
    return;
  }
  Result r = debug(2, {"print $threadIdx(\"x\")", "print $pe()", "shmemu list", "shmemu host 1", "backtrace",
                       "shmemu back", "print doubled", "delete", "continue"});
  CHECK(contains(r.out, "$1 = 0"));
  CHECK(contains(r.out, "* PE 0 kernel 0 twice block 0 thread 0: running"));
  CHECK(contains(r.out, "PE 1 host: "));
  CHECK(contains(r.out, "[now at PE 1 host"));
  CHECK(contains(r.out, "in main ("));
  CHECK(contains(r.out, "= 42"));
  CHECK(contains(r.out, "debugged ok"));
}
