#include "report/plot.hpp"

#include <catch2/catch.hpp>

using namespace shmemu;

// y = 10 and y = x / 10 meet at x = 100; on logarithmic axes both are straight lines
TEST_CASE("plot: crossings lie where two lines meet on logarithmic axes") {
  Series flat{"flat", {{10, 10}, {1000, 10}}}, rising{"rising", {{10, 1}, {1000, 100}}};
  auto at = crossings_of({flat, rising});
  REQUIRE(at.size() == 1);
  CHECK(at[0].first == Approx(100));
  CHECK(at[0].second == Approx(10));
  CHECK(crossings_of({flat, {"above", {{10, 20}, {1000, 20}}}}).empty());
}

TEST_CASE("plot: a crossing above a third, better series is not marked") {
  Series flat{"flat", {{10, 10}, {1000, 10}}}, rising{"rising", {{10, 1}, {1000, 100}}},
      best{"best", {{10, 0.5}, {1000, 0.5}}};
  CHECK(crossings_of({flat, rising, best}).empty());
}

TEST_CASE("plot: the SVG has a line, its legend and tick labels in bytes") {
  std::string svg = svg_of("a < b", {{"size", "time", true, {{"put", {{1024, 3}, {4096, 5}}}}, {}}});
  CHECK(svg.find("a &lt; b") != std::string::npos);
  CHECK(svg.find("<polyline") != std::string::npos);
  CHECK(svg.find(">put<") != std::string::npos);
  CHECK(svg.find(">1 KiB<") != std::string::npos);
}
