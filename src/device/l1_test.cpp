#include "device/l1.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace shmemu::device;

namespace {

constexpr uint64_t kReach = 68 << 10;

}  // namespace

TEST_CASE("l1: a first load misses, the same again hits") {
  L1 l1;
  CHECK(l1.load(1000, 512, kReach) == 1);
  CHECK(l1.load(1000, 512, kReach) == 0);
  CHECK(l1.load(1128, 128, kReach) == 0);
}

TEST_CASE("l1: of a range that is partly known the rest misses") {
  L1 l1;
  l1.load(1000, 100, kReach);
  CHECK(l1.load(1050, 100, kReach) == Approx(0.5));   // 1050 … 1099 known
  CHECK(l1.load(900, 400, kReach) == Approx(0.625));  // 150 of 400 known
  CHECK(l1.load(900, 400, kReach) == 0);
}

TEST_CASE("l1: neighbours and holes are told apart") {
  L1 l1;
  l1.load(0, 100, kReach);
  l1.load(200, 100, kReach);
  CHECK(l1.load(100, 100, kReach) == 1);
  CHECK(l1.load(0, 300, kReach) == 0);
}

TEST_CASE("l1: a fence empties it") {
  L1 l1;
  l1.load(0, 100, kReach);
  l1.clear();
  CHECK(l1.load(0, 100, kReach) == 1);
}

TEST_CASE("l1: loops beyond its reach miss as measured") {
  // share of misses of a cyclic scan, 68 KiB reach: 64 KiB 0, 128 KiB 0.76, 512 KiB 1.00
  CHECK(cyclic_miss_share(64 << 10, kReach) == 0);
  CHECK(cyclic_miss_share(128 << 10, kReach) == Approx(0.76).epsilon(0.01));
  CHECK(cyclic_miss_share(512 << 10, kReach) == Approx(1.00).epsilon(0.01));
  // the fixed point itself: m = 1 - exp(-m n / reach)
  for (uint64_t n : {70u << 10, 100u << 10, 300u << 10}) {
    double m = cyclic_miss_share(n, kReach), ratio = static_cast<double>(n) / kReach;
    CHECK(m == Approx(1 - std::exp(-m * ratio)).margin(0.001));
  }
  L1 l1;
  l1.load(0, 128 << 10, kReach);
  CHECK(l1.load(0, 128 << 10, kReach) == Approx(0.76).epsilon(0.01));
}

TEST_CASE("l1: no bytes miss nothing") {
  L1 l1;
  CHECK(l1.load(0, 0, kReach) == 0);
}
