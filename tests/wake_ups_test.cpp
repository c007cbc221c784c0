// Whatever can end a wait must end it: plain stores with a fence, fills, host stores, time-outs, locks, test loops, the
// first of two words. Each program checks its own result and prints ok.
#include <catch2/catch.hpp>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

void must_be_ok(const std::string& name, const Words& options) {
  Result r = run_program("programs/" + name, options, {}, 30);
  INFO(name << ": " << show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.out, "ok"));
}

}  // namespace

TEST_CASE("a plain store and a fence wake a spinning kernel of another stream") {
  must_be_ok("wake_by_plain_store", {"-q", "-n", "2"});
}
TEST_CASE("a memset wakes a spinning kernel") { must_be_ok("wake_by_memset", {"-q", "-n", "2"}); }
TEST_CASE("a store of the host to pinned memory wakes a spinning kernel") {
  must_be_ok("wake_by_host_write", {"-q", "-n", "2"});
}
TEST_CASE("a loop with a clock ends by its time-out although nobody writes") {
  must_be_ok("timeout_loop", {"-q", "-n", "2"});
}
TEST_CASE("a trylock with back-off makes progress and keeps the lock exclusive") {
  must_be_ok("trylock", {"-q", "-n", "2"});
}
TEST_CASE("a test loop goes on working and ends") { must_be_ok("test_loop", {"-q", "-n", "4"}); }
TEST_CASE("a wait on two words ends by either") {
  must_be_ok("wait_two_addresses", {"-q", "-n", "2"});
  must_be_ok("wait_two_addresses", {"-q", "-n", "5"});
}
TEST_CASE("the same wake-ups happen under adverse delivery") {
  for (const char* name :
       {"wake_by_plain_store", "wake_by_memset", "timeout_loop", "trylock", "test_loop", "wait_two_addresses"})
    for (const char* seed : {"1", "2", "3"})
      must_be_ok(name, {"-q", "-n", "2", "--delivery", "adverse", "--seed", seed});
}
