// Expected values: CUDA programming guide, warp vote, match, reduce and shuffle functions.
#include "device/warp_ops.hpp"

#include <catch2/catch.hpp>

#include <functional>

#include "shmemu/abi.h"

using namespace shmemu;
using namespace shmemu::device;

namespace {

struct OneWarp {
  Cta cta;
  OneWarp() {
    cta.threads.resize(32);
    cta.warps.resize(1);
    Warp& warp = cta.warps[0];
    warp.cta = &cta;
    for (uint32_t i = 0; i < 32; ++i) {
      cta.threads[i].warp = &warp;
      cta.threads[i].index = static_cast<uint8_t>(i);
    }
  }
  // Results of the lanes in `mask`; `operand` and `argument` by lane.
  std::vector<uint64_t> run(
      WarpOp op, uint32_t mask, const std::function<uint64_t(int)>& operand,
      const std::function<uint64_t(int)>& argument = [](int) { return 0; }, uint64_t width = 32,
      uint8_t type = SHMEMU_U32) {
    for (int i = 0; i < 32; ++i) {
      Lane& lane = cta.threads[static_cast<size_t>(i)];
      lane.stop = {};
      lane.stop.kind = OpKind::warp;
      lane.stop.function = static_cast<uint8_t>(op);
      lane.stop.type = type;
      lane.stop.value = mask;
      lane.stop.compare = operand(i);
      lane.stop.local = argument(i);
      lane.stop.bytes = width;
      lane.result = 0xdead;
    }
    compute_warp_op(cta.warps[0], mask);
    std::vector<uint64_t> results;
    for (Lane& lane : cta.threads) results.push_back(lane.result);
    return results;
  }
};

uint64_t lane_number(int i) { return static_cast<uint64_t>(100 + i); }
auto constant(uint64_t value) {
  return [value](int) { return value; };
}

}  // namespace

TEST_CASE("warp: shuffle by index reads lane argument mod width of its own segment") {
  OneWarp w;
  auto all = w.run(WarpOp::shfl_index, ~0u, lane_number, constant(5));
  for (uint64_t r : all) CHECK(r == 105);
  auto eights = w.run(WarpOp::shfl_index, ~0u, lane_number, constant(9), 8);  // 9 mod 8 = 1
  for (int i = 0; i < 32; ++i) CHECK(eights[static_cast<size_t>(i)] == lane_number(i / 8 * 8 + 1));
}

TEST_CASE("warp: shuffle up and down keep the own value at the segment's edge") {
  OneWarp w;
  for (int width : {32, 16, 4}) {
    auto up = w.run(WarpOp::shfl_up, ~0u, lane_number, constant(3), static_cast<uint64_t>(width));
    auto down = w.run(WarpOp::shfl_down, ~0u, lane_number, constant(3), static_cast<uint64_t>(width));
    for (int i = 0; i < 32; ++i) {
      int in = i % width;
      CHECK(up[static_cast<size_t>(i)] == lane_number(in < 3 ? i : i - 3));
      CHECK(down[static_cast<size_t>(i)] == lane_number(in + 3 >= width ? i : i + 3));
    }
  }
}

TEST_CASE("warp: shuffle xor exchanges, and keeps the own value beyond the segment") {
  OneWarp w;
  auto r = w.run(WarpOp::shfl_xor, ~0u, lane_number, constant(16));
  for (int i = 0; i < 32; ++i) CHECK(r[static_cast<size_t>(i)] == lane_number(i ^ 16));
  // width 8, xor 8: lanes of earlier segments may be read, later ones not
  auto eights = w.run(WarpOp::shfl_xor, ~0u, lane_number, constant(8), 8);
  for (int i = 0; i < 32; ++i) {
    int from = i ^ 8;
    CHECK(eights[static_cast<size_t>(i)] == lane_number(from >= i / 8 * 8 + 8 ? i : from));
  }
}

TEST_CASE("warp: a shuffle carries 8 bytes") {
  OneWarp w;
  auto r = w.run(
      WarpOp::shfl_xor, ~0u, [](int i) { return 0x0123456700000000ull + static_cast<uint64_t>(i); }, constant(1));
  CHECK(r[0] == 0x0123456700000001ull);
}

TEST_CASE("warp: ballot has a bit for each lane of the mask whose predicate is true") {
  OneWarp w;
  auto r = w.run(WarpOp::ballot, 0x0000ffff, [](int i) { return static_cast<uint64_t>(i % 3 == 0); });
  for (int i = 0; i < 16; ++i) CHECK(r[static_cast<size_t>(i)] == 0x9249);  // lanes 0, 3, 6, 9, 12, 15
  CHECK(r[20] == 0xdead);                                                   // not in the mask
  CHECK(w.run(WarpOp::ballot, ~0u, constant(1))[7] == 0xffffffff);
  CHECK(w.run(WarpOp::ballot, ~0u, constant(0))[7] == 0);
}

TEST_CASE("warp: match_any gives the lanes with the same value") {
  OneWarp w;
  auto r = w.run(WarpOp::match_any, ~0u, [](int i) { return static_cast<uint64_t>(i % 4) << 40; });
  for (int i = 0; i < 32; ++i) CHECK(r[static_cast<size_t>(i)] == 0x11111111ull << (i % 4));
}

TEST_CASE("warp: match_all gives the mask when all values are equal, else nothing") {
  OneWarp w;
  CHECK(w.run(WarpOp::match_all, 0xff, constant(7))[3] == 0xff);
  CHECK(w.run(WarpOp::match_all, 0xff, [](int i) { return static_cast<uint64_t>(i == 5); })[3] == 0);
  // lanes outside the mask do not count
  CHECK(w.run(WarpOp::match_all, 0xf, [](int i) { return static_cast<uint64_t>(i > 3); })[3] == 0xf);
}

TEST_CASE("warp: reductions over the mask, signed and unsigned") {
  OneWarp w;
  auto values = [](int i) { return static_cast<uint64_t>(static_cast<uint32_t>(i - 4)); };  // -4 … 27
  auto reduce = [&](int op, uint32_t mask, uint8_t type) {
    return static_cast<uint32_t>(w.run(WarpOp::reduce, mask, values, constant(static_cast<uint64_t>(op)), 32, type)[0]);
  };
  CHECK(reduce(SHMEMU_SUM, ~0u, SHMEMU_U32) == 32 * 31 / 2 - 4 * 32);
  CHECK(reduce(SHMEMU_SUM, 0x1f, SHMEMU_U32) == static_cast<uint32_t>(-10));
  CHECK(reduce(SHMEMU_MIN, ~0u, SHMEMU_I32) == static_cast<uint32_t>(-4));
  CHECK(reduce(SHMEMU_MAX, ~0u, SHMEMU_I32) == 27);
  CHECK(reduce(SHMEMU_MIN, ~0u, SHMEMU_U32) == 0);
  CHECK(reduce(SHMEMU_MAX, ~0u, SHMEMU_U32) == 0xffffffff);
  CHECK(reduce(SHMEMU_AND, 0x3, SHMEMU_U32) == (0xfffffffcu & 0xfffffffdu));
  CHECK(reduce(SHMEMU_OR, 0x3, SHMEMU_U32) == 0xfffffffd);
  CHECK(reduce(SHMEMU_XOR, 0x3, SHMEMU_U32) == (0xfffffffcu ^ 0xfffffffdu));
}
