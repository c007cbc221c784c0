#include "emu/check/unwritten.hpp"

#include <catch2/catch.hpp>

using shmemu::emu::checks::Unwritten;

TEST_CASE("unwritten: a fresh allocation is unwritten, and only it") {
  Unwritten u;
  u.allocated(512, 100);
  CHECK(u.any(512, 1));
  CHECK(u.any(611, 1));
  CHECK_FALSE(u.any(612, 100));
  CHECK_FALSE(u.any(0, 512));
}

TEST_CASE("unwritten: writes take bytes away until nothing is left") {
  Unwritten u;
  u.allocated(4000, 3 * 4096);
  u.written(5000, 8);
  CHECK_FALSE(u.any(5000, 8));
  CHECK(u.any(5000, 9));
  CHECK(u.any(4096, 4096));
  u.written(4000, 3 * 4096);
  CHECK_FALSE(u.any(4000, 3 * 4096));
  CHECK(u.empty());
}

TEST_CASE("unwritten: a page in the middle splits a range") {
  Unwritten u;
  u.allocated(0, 10 * 4096);
  u.written(5 * 4096, 4096);
  CHECK(u.any(4 * 4096, 4096));
  CHECK_FALSE(u.any(5 * 4096, 4096));
  CHECK(u.any(6 * 4096, 1));
}

TEST_CASE("unwritten: memory that is allocated again is unwritten again") {
  Unwritten u;
  u.allocated(0, 4096);
  u.written(0, 4096);
  u.allocated(0, 64);
  CHECK(u.any(0, 64));
  CHECK_FALSE(u.any(64, 64));
}
