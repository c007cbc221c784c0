#include "base/statistics.hpp"

#include <catch2/catch.hpp>

using shmemu::median;

TEST_CASE("median: of three, of four, of none") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({}) == 0);
}
