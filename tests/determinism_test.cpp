// The same run twice gives byte-identical timelines and equal digests; a trace fed back without the program as well.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

std::string digest_of(const Result& r) {
  return nlohmann::json::parse(r.out.substr(r.out.find("{\n")))["digest"].get<std::string>();
}

void run_twice(const std::string& name, Words options) {
  std::string digests[2], timelines[2];
  for (int i = 0; i < 2; ++i) {
    auto file = scratch(name + std::to_string(i) + ".jsonl");
    Words words = options;
    words.insert(words.end(), {"--json", "--timeline", file.string()});
    Result r = run_program("examples/" + name, words);
    INFO(name << ": " << show(r));
    REQUIRE(r.code == 0);
    digests[i] = digest_of(r);
    timelines[i] = read_file(file);
  }
  INFO(name);
  CHECK(digests[0] == digests[1]);
  CHECK(timelines[0] == timelines[1]);
  CHECK(timelines[0].size() > 1000);
}

}  // namespace

TEST_CASE("every good example run twice gives the same timeline and digest") {
  for (const char* name : {"hello", "ring", "ring_allreduce", "jacobi", "histogram", "transpose", "queue"})
    for (const char* pes : {"3", "8"}) run_twice(name, {"-n", pes});
}

TEST_CASE("adverse runs of one seed are equal, of another seed different") {
  run_twice("ring", {"-n", "4", "--delivery", "adverse", "--seed", "5"});
  Result a = run_program("examples/ring", {"-n", "4", "--json", "--delivery", "adverse", "--seed", "5"});
  Result b = run_program("examples/ring", {"-n", "4", "--json", "--delivery", "adverse", "--seed", "6"});
  CHECK(digest_of(a) != digest_of(b));
}

TEST_CASE("the recorded Ops of an example, fed back without the program, give the same timeline byte for byte") {
  for (const char* name : {"ring", "ring_allreduce", "transpose"}) {
    auto trace = scratch(std::string(name) + ".trace"), ran = scratch("ran.jsonl"),
         replayed = scratch("replayed.jsonl");
    Result r = run_program(std::string("examples/") + name,
                           {"-q", "-n", "8", "--record", trace.string(), "--timeline", ran.string()});
    INFO(name << ": " << show(r));
    REQUIRE(r.code == 0);
    Result again = shmemu::test::shmemu({"replay", "-q", trace.string(), "--timeline", replayed.string()});
    INFO(show(again));
    REQUIRE(again.code == 0);
    CHECK(read_file(ran) == read_file(replayed));
  }
}

TEST_CASE("a truncated trace is refused with its place") {
  auto trace = scratch("whole.trace"), cut = scratch("cut.trace");
  REQUIRE(run_program("examples/ring", {"-q", "-n", "2", "--record", trace.string()}).code == 0);
  std::string text = read_file(trace);
  write_file(cut, text.substr(0, text.size() / 2));
  Result r = shmemu::test::shmemu({"replay", cut.string()});
  INFO(show(r));
  CHECK(r.code == 2);
  CHECK(contains(r.err, "cut.trace"));
}
