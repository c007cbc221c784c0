// Misuse of the command line: exit code 2 and one message that says what to do.
#include <catch2/catch.hpp>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

void refused(const Words& words, const std::string& part) {
  Result r = shmemu::test::shmemu(words);
  INFO(show(r));
  CHECK(r.code == 2);
  CHECK(contains(r.out + r.err, part));
}

}  // namespace

TEST_CASE("a missing program is named") { refused({"run", "-n", "2", "no_such_program"}, "no such file"); }

TEST_CASE("a file that is no program is refused") {
  auto file = scratch("text");
  write_file(file, "hello\n");
  refused({"run", file.string()}, "it is not a program");
}

TEST_CASE("a truncated program is refused with the sizes") {
  std::string whole = read_file(program("examples/ring"));
  auto file = scratch("cut_program");
  write_file(file, whole.substr(0, 6000));
  refused({"run", file.string()}, "truncated or corrupt");
}

TEST_CASE("a program compiled by another version is refused, not run on the wrong layout") {
  std::string whole = read_file(program("examples/ring"));
  const std::string name = "__shmemu_register_2";
  REQUIRE(contains(whole, name));
  for (size_t at = whole.find(name); at != std::string::npos; at = whole.find(name, at + 1))
    whole[at + name.size() - 1] = '1';
  auto file = scratch("older_program");
  write_file(file, whole);
  refused({"run", file.string()}, "compiled by another version of shmemu");
}

TEST_CASE("an unknown platform lists the known ones") {
  refused({"run", "-p", "nowhere", program("examples/ring").string()}, "coreweave-2x8");
}

TEST_CASE("more PEs than the platform has GPUs are refused with both numbers") {
  refused({"run", "-n", "17", "-p", "coreweave-2x8", program("examples/ring").string()},
          "has 16 GPUs, the run asks for 17 PEs");
}

TEST_CASE("without -p the first platform with a GPU per PE is taken and named") {
  Result small = run_program("examples/hello", {"-n", "8"}), large = run_program("examples/hello", {"-n", "521"});
  CHECK(contains(small.err, "platform hgx-h200 was chosen"));
  CHECK(contains(large.err, "platform nvlink-flat was chosen"));
}

TEST_CASE("an unknown option of run is a usage error, the program's own options are not touched") {
  refused({"run", "--no-such-option", program("examples/ring").string()}, "--no-such-option");
}

TEST_CASE("a program run directly says how to run it") {
  Result r = run({program("examples/hello").string()});
  CHECK(r.code == 2);
  CHECK(contains(r.out + r.err, "shmemu run"));
}

TEST_CASE("a missing function is an error of the link step with its name") {
  auto file = scratch("missing.cu");
  write_file(file, "extern \"C\" void no_such_function();\nint main() { no_such_function(); }\n");
  Result r = shmemu::test::shmemu({"cc", file.string(), "-o", scratch("missing").string()});
  INFO(show(r));
  CHECK(r.code != 0);
  CHECK(contains(r.err, "no_such_function"));
}
