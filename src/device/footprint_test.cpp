#include "device/footprint.hpp"

#include <catch2/catch.hpp>

using shmemu::device::Footprint;

constexpr uint64_t kLimit = 60 << 20;  // B

TEST_CASE("a kernel that goes over one MiB a hundred times has a footprint of one MiB") {
  Footprint f;
  for (int round = 0; round < 100; ++round)
    for (uint64_t at = 0; at < (1 << 20); at += 256) f.add(kLimit, 256, (0x700000000000 + at) / 4096 * 4096 + 1);
  CHECK(f.bytes() == 1 << 20);
}

TEST_CASE("pages of a piece that goes through two arrays count twice") {
  Footprint f;
  f.add(kLimit, 16, 0x700000000000 + 2);
  f.add(kLimit, 16, 0x700000000000 + 2);
  CHECK(f.bytes() == 8192);
}

TEST_CASE("bytes without an address are different ones") {
  Footprint f;
  f.add(kLimit, 4096);
  f.add(kLimit, 4096);
  CHECK(f.bytes() == 8192);
}
