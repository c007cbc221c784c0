// Many PEs in one process: the run ends, with right data, in bounded memory.
#include <catch2/catch.hpp>

#include <sys/resource.h>

#include "harness.hpp"

using namespace shmemu::test;

TEST_CASE("1024 PEs of 128 threads finish ten rounds of put, signal, wait and barrier") {
  Result r = run_program("programs/scale_rounds", {"-n", "1024", "-p", "nvlink-flat"}, {}, 240);
  INFO(show(r));
  REQUIRE(r.code == 0);
  CHECK(contains(r.out, "scale_rounds ok: 1024 PEs"));
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  WARN("1024 PEs: " << r.seconds << " s, " << usage.ru_maxrss / 1024 << " MiB");
#ifndef __SANITIZE_ADDRESS__
  CHECK(usage.ru_maxrss < 1024 * 1024);  // KiB
#endif
}

TEST_CASE("two PEs start and end in well under a second") {
  Result r = run_program("examples/hello", {"-q", "-n", "2"});
  CHECK(r.code == 0);
  CHECK(r.seconds < 1);
}
