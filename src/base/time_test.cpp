#include "base/time.hpp"

#include <catch2/catch.hpp>

#include "tests/unit_support.hpp"

using namespace shmemu;

TEST_CASE("time literals and conversions are whole picoseconds") {
  CHECK((1_us).ps == 1'000'000);
  CHECK((0.5_us).ps == 500'000);
  CHECK((3_ns).ps == 3000);
  CHECK((26.7_ns).ps == 26'700);
  CHECK(Time::from_us(0.00169).ps == 1690);
  CHECK((1'500'000_ps).us() == Approx(1.5));
  CHECK((1'500'000_ps).ns() == Approx(1500));
  CHECK((2'000'000'000'000_ps).seconds() == Approx(2));
}

TEST_CASE("time rounds to the nearest picosecond, away from zero at the half") {
  CHECK(Time::from_us(1.4e-6).ps == 1);
  CHECK(Time::from_us(1.6e-6).ps == 2);
  CHECK(Time::from_us(-1.6e-6).ps == -2);
  CHECK(Time::from_ns(0.0005).ps == 1);
}

TEST_CASE("time adds, scales and compares") {
  CHECK(2_us + 3_us * 4 - 1_us == 13_us);
  CHECK(10_us / 4 == 2.5_us);
  CHECK(1_us < 2_us);
  CHECK(Time{} == 0_ps);
  CHECK(Time::max() > 1'000'000'000'000_us);
}

TEST_CASE("a rate never makes a transfer faster than its link") {
  // 384 GB/s: 384 B take 1 ns, or 1 ps more by the rounding of floating point; 1 B takes 2.604… ps, rounded up to 3
  Rate r = Rate::gb_per_s(384);
  CHECK(r.time_for(384) >= 1_ns);
  CHECK(r.time_for(384) <= 1_ns + 1_ps);
  CHECK(r.time_for(1) == 3_ps);
  CHECK(r.time_for(0) == 0_ps);
  for (uint64_t bytes : {1ull, 7ull, 128ull, 4097ull, 1ull << 30, 3ull << 40})
    CHECK(static_cast<double>(bytes) / r.time_for(bytes).seconds() <= 384e9 * (1 + 1e-12));
}

TEST_CASE("times are printed with a unit that fits") {
  CHECK(to_text(999_ps) == "999 ps");
  CHECK(to_text(1500_ps) == "1.500 ns");
  CHECK(to_text(12.345_us) == "12.345 µs");
  CHECK(to_text(20'000_us) == "20.000 ms");
  CHECK(to_text(20'000'000_us) == "20.000 s");
}

TEST_CASE("bytes are printed in binary units") {
  CHECK(bytes_to_text(0) == "0 B");
  CHECK(bytes_to_text(100) == "100 B");
  CHECK(bytes_to_text(4096) == "4 KiB");
  CHECK(bytes_to_text(1536 * 1024) == "1.5 MiB");
  CHECK(bytes_to_text(1ull << 37) == "128 GiB");
}
