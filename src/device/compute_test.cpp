#include "device/compute.hpp"

#include <catch2/catch.hpp>

#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::device;

namespace {

const GpuModel& gpu() { return test::h200_node().gpu; }

}  // namespace

TEST_CASE("compute: a chain takes its cycles and the latency of its loads") {
  // 198 cycles at 1.98 GHz are 100 ns; two dependent loads from L2 2 × 133 ns, from memory 2 × (133 + 243) ns
  Work work{.quarter_slots = 100, .cycles = 198, .quarter_loads = 8, .bytes = 64};
  CHECK(chain_time(gpu(), work, false) == 366_ns);
  CHECK(chain_time(gpu(), work, true) == 852_ns);
}

TEST_CASE("compute: a warp is as slow as its slowest lane and moves the bytes of all") {
  Work warp;
  warp.join({.quarter_slots = 8, .cycles = 50, .quarter_loads = 4, .bytes = 4, .touched = 0}, gpu());
  warp.join({.quarter_slots = 4, .cycles = 90, .quarter_loads = 0, .bytes = 4, .touched = 0}, gpu());
  // 50 cycles and a load (158 ns) are slower than 90 cycles (45 ns)
  CHECK(warp == Work{.quarter_slots = 8, .cycles = 50, .quarter_loads = 4, .bytes = 8});
}

TEST_CASE("compute: a server works without pause and fills what is free, whatever the order of requests") {
  Server server;
  CHECK(server.serve({}, 100_ns, 10_ns, 100) == 110_ns);
  CHECK(server.serve({}, 0_ns, 10_ns, 100) == 10_ns);    // before it
  CHECK(server.serve({}, 95_ns, 10_ns, 100) == 115_ns);  // 5 ns before 100, 5 after 110
  CHECK(server.serve({}, 0_ns, 85_ns, 100) == 95_ns);    // all that is left from 10 to 95
  CHECK(server.serve({}, 0_ns, 17_ns, 100) == 132_ns);
}

TEST_CASE("compute: none of n warps waits longer than n times what it needs") {
  Server server;
  server.serve({}, 0_ns, 1000_ns, 4);
  CHECK(server.serve({}, 0_ns, 10_ns, 4) == 40_ns);
}

TEST_CASE("compute: many warps share the issue slots, a few do not notice each other") {
  // 4000 slots per warp: 1000 cycles of the SM's four schedulers; its own chain of 8000 cycles is longer
  auto end_of = [&](int64_t warps) {
    Compute compute(gpu());
    Time last;
    for (int64_t w = 0; w < warps; ++w)
      last = std::max(last, compute.phase_end(0, {}, {}, 16000, 0, false, {.on_sm = warps, .on_gpu = warps}));
    return last;
  };
  CHECK(end_of(1).ns() == Approx(1000 / 1.98).epsilon(0.001));
  CHECK(end_of(32).ns() == Approx(32 * 1000 / 1.98).epsilon(0.001));
}

TEST_CASE("compute: beyond L2 the memory's rate holds, within it L2's") {
  Compute compute(gpu());
  uint64_t bytes = 1 << 20;
  Time l2, memory;
  for (int sm = 0; sm < 132; ++sm) {
    l2 = std::max(l2, compute.phase_end(sm, {}, {}, 0, bytes, false, {64, 64 * 132}));
    memory = std::max(memory, compute.phase_end(sm, {}, {}, 0, bytes, true, {64, 64 * 132}));
  }
  CHECK(l2 >= gpu().l2_rate.time_for(132 * bytes));
  CHECK(memory >= gpu().hbm.time_for(132 * bytes));
  CHECK(memory.ns() == Approx(gpu().hbm.time_for(132 * bytes).ns()).epsilon(0.01));
}
