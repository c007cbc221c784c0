// Limits of compute capability 9.0: 2048 threads, 32 blocks and 228 KiB of shared memory per SM (1 KiB of it reserved
// per block), 132 SMs.
#include "device/grid.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::device;

namespace {

const GpuModel& gpu() { return test::h200_node().gpu; }

Grid grid_of(uint32_t threads, uint64_t shared = 0) {
  Grid g;
  g.launch.block.x = threads;
  g.launch.shared_bytes = shared;
  return g;
}

}  // namespace

TEST_CASE("resident blocks per SM by threads") {
  CHECK(Gpu::blocks_per_sm(gpu(), 1024, 0) == 2);
  CHECK(Gpu::blocks_per_sm(gpu(), 1023, 0) == 2);
  CHECK(Gpu::blocks_per_sm(gpu(), 992, 0) == 2);
  CHECK(Gpu::blocks_per_sm(gpu(), 682, 0) == 2);  // 704 in whole warps: 2.9
  CHECK(Gpu::blocks_per_sm(gpu(), 672, 0) == 3);
  CHECK(Gpu::blocks_per_sm(gpu(), 512, 0) == 4);
  CHECK(Gpu::blocks_per_sm(gpu(), 128, 0) == 16);
  CHECK(Gpu::blocks_per_sm(gpu(), 64, 0) == 32);
  CHECK(Gpu::blocks_per_sm(gpu(), 1, 0) == 32);  // the limit of blocks
  CHECK(Gpu::blocks_per_sm(gpu(), 33, 0) == 32);
  CHECK(Gpu::blocks_per_sm(gpu(), 65, 0) == 21);  // 96 in whole warps
}

TEST_CASE("resident blocks per SM by shared memory") {
  CHECK(Gpu::blocks_per_sm(gpu(), 32, 227 << 10) == 1);
  CHECK(Gpu::blocks_per_sm(gpu(), 32, 113 << 10) == 2);  // 2 × (113 + 1) KiB = 228 KiB
  CHECK(Gpu::blocks_per_sm(gpu(), 32, 114 << 10) == 1);
  CHECK(Gpu::blocks_per_sm(gpu(), 1024, 100 << 10) == 2);
  CHECK(Gpu::blocks_per_sm(gpu(), 32, 8 << 10) == 25);  // 228 / 9
}

TEST_CASE("what cannot run at all has limit 0") {
  CHECK(Gpu::resident_limit(gpu(), 1025, 0) == 0);
  CHECK(Gpu::resident_limit(gpu(), 0, 0) == 0);
  CHECK(Gpu::resident_limit(gpu(), 32, 228 << 10) == 0);
}

TEST_CASE("resident blocks of the whole GPU") {
  CHECK(Gpu::resident_limit(gpu(), 1024, 0) == 264);
  CHECK(Gpu::resident_limit(gpu(), 32, 0) == 4224);
}

TEST_CASE("blocks go to the emptiest SM, one to each before any gets a second") {
  Gpu g(gpu());
  Grid grid = grid_of(1024);
  std::set<int> used;
  for (int i = 0; i < 132; ++i) {
    int sm = g.find_room(grid);
    REQUIRE(sm >= 0);
    CHECK(used.insert(sm).second);
    g.occupy(sm, grid, +1);
  }
  for (int i = 0; i < 132; ++i) g.occupy(g.find_room(grid), grid, +1);
  CHECK(g.find_room(grid) == -1);
  g.occupy(57, grid, -1);
  CHECK(g.find_room(grid) == 57);
}

TEST_CASE("different kernels share an SM's threads and shared memory") {
  GpuModel one = gpu();
  one.sms = 1;
  Gpu g(one);
  Grid half = grid_of(1024, 50 << 10), rest = grid_of(512, 100 << 10), small = grid_of(32);
  g.occupy(g.find_room(half), half, +1);
  g.occupy(g.find_room(rest), rest, +1);
  CHECK(g.find_room(rest) == -1);  // 51 + 101 + 101 KiB > 228 KiB
  CHECK(g.find_room(half) == -1);  // threads
  CHECK(g.find_room(small) == 0);
}
