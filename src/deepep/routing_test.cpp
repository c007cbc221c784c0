#include <set>

#include <catch2/catch.hpp>

#include "deepep/routing.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu::deepep;

namespace {

Setup ht(int ep, int groups) {
  Setup s;
  s.mode = Mode::high_throughput, s.ep = ep, s.tokens = 512, s.groups = groups;
  return s;
}

}  // namespace

TEST_CASE("a token selects different experts", "[deepep]") {
  Routing r = generate(ht(64, 4), 8);
  for (int t = 0; t < r.tokens(3); ++t) CHECK(std::set<int16_t>(r.token(3, t), r.token(3, t) + 8).size() == 8);
}

// Nodes per token: experts are drawn without replacement, so of 4 nodes with 64 experts each a token misses one with
// probability C(192,8)/C(256,8) = 0.095: 4 (1 - 0.095) = 3.62; of 8 nodes, the four best kept: below 4, and all but
// always 4.
TEST_CASE("nodes per token are those of the script's distribution", "[deepep]") {
  CHECK(skew_of(generate(ht(32, 4), 4), 32, 8).nodes_per_token == Approx(3.62).margin(0.02));
  CHECK(skew_of(generate(ht(64, 4), 8), 64, 8).nodes_per_token == Approx(3.98).margin(0.02));
  CHECK(skew_of(generate(ht(64, 8), 8), 64, 8).nodes_per_token == Approx(5.30).margin(0.03));
  CHECK(skew_of(generate(ht(16, 2), 2), 16, 8).nodes_per_token == Approx(1.99).margin(0.01));
}

TEST_CASE("ten entries of an LL routing are masked, some twice", "[deepep]") {
  Setup s;
  s.ep = 16;
  Routing r = generate(s, 2);
  for (const auto& picks : r.picks) {
    auto masked = std::count(picks.begin(), picks.end(), int16_t{-1});
    CHECK(masked <= 10);
    CHECK(masked >= 7);
  }
}
