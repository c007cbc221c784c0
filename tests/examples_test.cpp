// The examples: the good ones print "ok" on 1, 2 and 8 PEs; each broken one shows its defect, and not when repaired.
#include <catch2/catch.hpp>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

const std::vector<std::string> kGood{"hello", "ring", "ring_allreduce", "jacobi", "histogram", "transpose", "queue"};

int line_of(const std::string& file, const std::string& text) {
  int number = 0;
  for (const std::string& line : lines_of(read_file(source(file)))) {
    ++number;
    if (contains(line, text)) return number;
  }
  return 0;
}

}  // namespace

TEST_CASE("every example is either listed as good or broken") {
  std::vector<std::string> known{"examples/broken_deadlock", "examples/broken_missing_quiet"};
  for (const std::string& name : kGood) known.push_back("examples/" + name);
  std::sort(known.begin(), known.end());
  CHECK(programs_of("examples") == known);
}

TEST_CASE("good examples print ok on 1, 2 and 8 PEs") {
  for (const std::string& name : kGood)
    for (const char* pes : {"1", "2", "8"}) {
      Result r = run_program("examples/" + name, {"-q", "-n", pes});
      INFO(name << " on " << pes << " PEs: " << show(r));
      CHECK(r.code == 0);
      CHECK(contains(r.out, name + " ok"));
      CHECK(r.err.empty());
    }
}

TEST_CASE("good examples stay right under adverse delivery") {
  for (const std::string& name : kGood)
    for (const char* seed : {"1", "2", "3"}) {
      Result r = run_program("examples/" + name, {"-q", "-n", "4", "--delivery", "adverse", "--seed", seed});
      INFO(name << ", seed " << seed << ": " << show(r));
      CHECK(r.code == 0);
      CHECK(contains(r.out, name + " ok"));
    }
}

TEST_CASE("ring_allreduce prints a table of its operations") {
  Result r = run_program("examples/ring_allreduce", {"-n", "8"});
  INFO(show(r));
  REQUIRE(r.code == 0);
  // 8 PEs × 2 rounds × (7 reduce-scatter + 7 all-gather steps) = 224 block-scoped puts with signal of 1 KiB
  bool found = false;
  for (const std::string& line : lines_of(r.err))
    if (contains(line, "put_signal_block")) found = contains(line, " 224 ") && contains(line, "224 KiB");
  CHECK(found);
  CHECK(contains(r.err, "operation"));
  CHECK(contains(r.err, "digest"));
}

TEST_CASE("broken_missing_quiet shows stale data under some adverse seed, and never when repaired") {
  int stale = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    std::vector<std::string> options{"-q", "-n", "2", "--delivery", "adverse", "--seed", std::to_string(seed)};
    Result broken = run_program("examples/broken_missing_quiet", options);
    INFO("seed " << seed << ": " << show(broken));
    if (broken.code != 0) {
      ++stale;
      CHECK(broken.code == 1);
      CHECK(contains(broken.err, "the flag came before the data"));
    }
    Result repaired = run_program("examples/broken_missing_quiet", options, {"repaired"});
    INFO("repaired: " << show(repaired));
    CHECK(repaired.code == 0);
    CHECK(contains(repaired.out, "missing_quiet ok"));
  }
  // the page of the example promises it for seed 1 already
  CHECK(stale > 0);
}

TEST_CASE("broken_deadlock ends with a report of who waits for what") {
  Result r = run_program("examples/broken_deadlock", {"-q", "-n", "2"});
  INFO(show(r));
  CHECK(r.code == 4);
  int line = line_of("examples/broken_deadlock.cu", "<- all PEs stop here");
  int allocated = line_of("examples/broken_deadlock.cu", "nvshmem_calloc(1, sizeof(uint64_t))");
  REQUIRE(line > 0);
  for (const char* pe : {"0", "1"}) {
    std::string waiting;
    for (const std::string& text : lines_of(r.err))
      if (contains(text, std::string("PE ") + pe + " handshake block 0 thread 0")) waiting = text;
    INFO("PE " << pe << ": " << waiting);
    CHECK(contains(waiting, "waits at broken_deadlock.cu:" + std::to_string(line)));  // call and source line
    CHECK(contains(waiting, std::string("nvshmem_calloc #")));                        // the allocation …
    CHECK(contains(waiting, "broken_deadlock.cu:" + std::to_string(allocated)));      // … where it was made …
    CHECK(contains(waiting, ") + 0 "));                                               // … and the offset
    CHECK(contains(waiting, "== 1"));                                                 // wanted
    CHECK(contains(waiting, "it is 0"));                                              // present
    CHECK(contains(waiting, "nobody has written it"));                                // last writer
  }
}

TEST_CASE("broken_deadlock repaired ends well") {
  Result r = run_program("examples/broken_deadlock", {"-q", "-n", "2"}, {"repaired"});
  INFO(show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.out, "deadlock ok"));
}
