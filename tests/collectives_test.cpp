// Collectives of whole programs. Their algorithms are tested in src/collectives; what disagrees, in tests/malformed.
#include <catch2/catch.hpp>

#include "harness.hpp"

using namespace shmemu::test;

TEST_CASE("two teams with the same members may work at the same time") {
  Result observed = run_program("programs/two_teams", {"-q", "-n", "4"});
  INFO(show(observed));
  CHECK(observed.code == 0);
  for (int seed = 1; seed <= 10; ++seed) {
    Result r =
        run_program("programs/two_teams", {"-q", "-n", "4", "--delivery", "adverse", "--seed", std::to_string(seed)});
    INFO("seed " << seed << ": " << show(r));
    CHECK(r.code == 0);
    CHECK(contains(r.out, "two_teams ok"));
  }
}
