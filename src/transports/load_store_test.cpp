// Closed forms of copy loops (docs/design/transports.md), tolerance 1 %.
#include "transports/load_store.hpp"

#include <catch2/catch.hpp>

#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

const GpuModel& gpu() { return test::h200_node().gpu; }

double rate(uint32_t threads, Time trip) { return threads * 16.0 / trip.ns(); }  // GB/s

}  // namespace

TEST_CASE("a put trip follows load latency, warps and the store pipe") {
  // T threads of 16 B, W = T/32 warps, 4 lines per warp instruction:
  //   max(loop + 3 line + (W - 1) warp + l2_load, W (pipe_warp + 4 pipe_line))
  //   T = 32   0.0267 + 0.0144 + 0.133                = 0.174 µs,  2.94 GB/s
  //   T = 256  the same + 7 × 0.0035                  = 0.199 µs, 20.6  GB/s
  //   T = 512  the same + 15 × 0.0035                 = 0.227 µs, 36.2  GB/s
  //   T = 1024 32 × (0.0048 + 4 × 0.00169)            = 0.370 µs, 44.3  GB/s: the pipe
  struct Case {
    uint32_t threads;
    double us, gb_per_s;
  };
  for (Case c : {Case{32, 0.174, 2.94}, Case{256, 0.199, 20.6}, Case{512, 0.227, 36.2}, Case{1024, 0.370, 44.3}}) {
    Time trip = copy_trip(gpu(), c.threads, 16, gpu().l2_load);
    CHECK(trip.us() == Approx(c.us).epsilon(0.01));
    CHECK(rate(c.threads, trip) == Approx(c.gb_per_s).epsilon(0.01));
  }
}

TEST_CASE("a get trip costs one remote round trip") {
  // T = 32: 0.0267 + 0.0144 + 0.86 = 0.901 µs, 0.57 GB/s
  Time trip = copy_trip(gpu(), 32, 16, gpu().remote_load);
  CHECK(trip.us() == Approx(0.901).epsilon(0.01));
  CHECK(rate(32, trip) == Approx(0.57).epsilon(0.01));
}

TEST_CASE("a lone thread misses every other 16 B") {
  // sector of 32 B: one miss of 0.160 µs, one hit of 0.0267 µs; mean 0.0932 µs per 16 B
  for (uint64_t bytes : {32ull, 2048ull, 131072ull}) {
    Time loop = copy_loop(gpu(), {.bytes = bytes}, gpu().l2_load);
    CHECK(loop.us() * 16 / static_cast<double>(bytes) == Approx(0.0932).epsilon(0.01));
  }
  CHECK(copy_loop(gpu(), {.bytes = 16}, gpu().l2_load).us() == Approx(0.160).epsilon(0.01));
  // all in L1: 0.0267 per 16 B
  CHECK(copy_loop(gpu(), {.bytes = 2048, .miss = 0}, gpu().l2_load).us() == Approx(128 * 0.0267).epsilon(0.01));
}

TEST_CASE("a copy takes whole trips and one shorter one") {
  // 256 threads: 4096 B are one trip; 4096 + 512 B are that and one of a single warp
  Time full = copy_trip(gpu(), 256, 16, gpu().l2_load), warp = copy_trip(gpu(), 32, 16, gpu().l2_load);
  CHECK(copy_loop(gpu(), {.threads = 256, .bytes = 4096}, gpu().l2_load) == full);
  CHECK(copy_loop(gpu(), {.threads = 256, .bytes = 8192}, gpu().l2_load) == full * 2);
  CHECK(copy_loop(gpu(), {.threads = 256, .bytes = 4096 + 512}, gpu().l2_load) == full + warp);
  CHECK(copy_loop(gpu(), {.threads = 256, .bytes = 0}, gpu().l2_load) == Time{});
}

TEST_CASE("more bytes in whole pieces never take less time") {
  for (uint32_t threads : {1u, 32u, 128u, 1024u}) {
    Time last;
    for (uint64_t bytes = 16; bytes <= 1 << 20; bytes += 1008) {
      Time now = copy_loop(gpu(), {.threads = threads, .bytes = bytes}, gpu().l2_load);
      CHECK(now >= last);
      last = now;
    }
  }
}

TEST_CASE("a copy moves as wide as the alignment of both addresses allows") {
  auto width = [](uint64_t local, uint64_t remote, uint64_t elements = 0) {
    Op op;
    op.kind = elements ? OpKind::iput : OpKind::put;
    op.local = local, op.remote = remote, op.bytes = 4096, op.elements = elements;
    return access_width(op);
  };
  CHECK(width(0x1000, 0x2000) == 16);
  CHECK(width(0x1008, 0x2000) == 8);
  CHECK(width(0x1000, 0x2004) == 4);
  CHECK(width(0x1002, 0x2004) == 2);
  CHECK(width(0x1001, 0x2001) == 1);       // alike is not enough
  CHECK(width(0x1000, 0x2000, 512) == 8);  // strided: one element
}

TEST_CASE("narrow copies take a trip for every width") {
  // 512 threads: 512 B of one byte each are a trip of max(0.0267 + 15 × 0.0035 + 0.133, 16 (0.0048 + 0.00169)) = 0.212
  // µs
  Time trip = copy_trip(gpu(), 512, 1, gpu().l2_load);
  CHECK(trip.us() == Approx(0.2122).epsilon(0.01));
  CHECK(copy_loop(gpu(), {.threads = 512, .bytes = 5120, .width = 1}, gpu().l2_load) == trip * 10);
  CHECK(copy_loop(gpu(), {.threads = 512, .bytes = 4096, .width = 8}, gpu().l2_load) ==
        copy_trip(gpu(), 512, 8, gpu().l2_load));
}
