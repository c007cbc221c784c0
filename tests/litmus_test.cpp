// Causality: litmus programs show only outcomes that the specification allows, under observed delivery and 100 adverse
// schedules, and under adverse ones every allowed outcome at least once. Rules: NVSHMEM 3.3.9 / OpenSHMEM 1.5, memory
// ordering (9.10 fence and quiet, 9.8 signalling, 9.7 atomics): operations to one PE are unordered unless a fence
// (order) or quiet (completion) stands between them; put-with-signal delivers its own data before its signal.
#include <catch2/catch.hpp>

#include <set>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

using Outcomes = std::set<std::string>;
constexpr int kSeeds = 100;

std::string outcome_of(const std::string& program, const std::string& pes, const std::string& variant,
                       const Words& delivery) {
  Words options{"-q", "-n", pes};
  options.insert(options.end(), delivery.begin(), delivery.end());
  Result r = run_program(program, options, {variant});
  INFO(program << " " << variant << ": " << show(r));
  REQUIRE(r.code == 0);
  for (const std::string& line : lines_of(r.out))
    if (line.starts_with("outcome ")) return line.substr(8);
  FAIL("no outcome");
  return "";
}

// Runs all schedules; `allowed` says why each forbidden outcome is missing.
void check(const std::string& program, const std::string& pes, const std::string& variant, const Outcomes& allowed) {
  std::string observed = outcome_of(program, pes, variant, {});
  INFO(program << " " << variant);
  CHECK(allowed.count(observed));
  Outcomes seen;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    std::string outcome = outcome_of(program, pes, variant, {"--delivery", "adverse", "--seed", std::to_string(seed)});
    INFO("seed " << seed << ": " << outcome);
    CHECK(allowed.count(outcome));
    seen.insert(outcome);
  }
  CHECK(seen == allowed);
}

const char* const kMp = "programs/message_passing";
const char* const kSb = "programs/store_buffer";
const char* const kIriw = "programs/iriw";

}  // namespace

// ---- message passing: "flag data"; the reader always has the flag ----

TEST_CASE("litmus message passing without order: the flag may overtake the data") {
  check(kMp, "2", "none", {"1 0", "1 1"});
}
TEST_CASE("litmus message passing with fence: data first") {  // fence orders puts to the same PE
  check(kMp, "2", "fence", {"1 1"});
}
TEST_CASE("litmus message passing with quiet: data first") {  // quiet completes the put before the flag is sent
  check(kMp, "2", "quiet", {"1 1"});
}
TEST_CASE("litmus message passing by put_signal: data first") {  // the signal is updated after its own data
  check(kMp, "2", "put_signal", {"1 1"});
}
TEST_CASE("litmus message passing by a lone signal: it may overtake the data") {  // signal_op orders nothing else
  check(kMp, "2", "signal", {"1 0", "1 1"});
}
TEST_CASE("litmus message passing by an atomic: it may overtake the data") {  // atomics order nothing either
  check(kMp, "2", "atomic", {"1 0", "1 1"});
}
TEST_CASE("litmus message passing with fence and signal: data first") {  // fence orders signal updates, too
  check(kMp, "2", "signal_fence", {"1 1"});
}

// ---- store buffer: "y x", what PE 0 and PE 1 read at home after writing in the other ----

TEST_CASE("litmus store buffer without order: both may read the old value") {
  check(kSb, "2", "none", {"0 0", "0 1", "1 0", "1 1"});
}
TEST_CASE("litmus store buffer with fence: both may read the old value") {  // fence orders, it does not wait
  check(kSb, "2", "fence", {"0 0", "0 1", "1 0", "1 1"});
}
TEST_CASE("litmus store buffer with quiet: one of them reads the new value") {
  // both writes have arrived before both reads unless one read comes before the other's write; not both ways
  check(kSb, "2", "quiet", {"0 1", "1 0", "1 1"});
}

// ---- IRIW: "x y y x", PE 2 reads its y after its x, PE 3 its x after its y ----
// Each reader has copies of its own, and nobody orders writes of different PEs: all four in every variant.

TEST_CASE("litmus iriw without order: readers may disagree") {
  check(kIriw, "4", "none", {"1 0 1 0", "1 0 1 1", "1 1 1 0", "1 1 1 1"});
}
TEST_CASE("litmus iriw with fence: readers may disagree") {  // the two writes of a PE go to different PEs
  check(kIriw, "4", "fence", {"1 0 1 0", "1 0 1 1", "1 1 1 0", "1 1 1 1"});
}
TEST_CASE("litmus iriw with quiet: readers may disagree") {
  // quiet before a PE's second write says nothing about when the other PE's writes arrive
  check(kIriw, "4", "quiet", {"1 0 1 0", "1 0 1 1", "1 1 1 0", "1 1 1 1"});
}
