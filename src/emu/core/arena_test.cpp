#include "emu/core/arena.hpp"

#include <catch2/catch.hpp>

#include <cstring>

#include "base/errors.hpp"

using namespace shmemu;
using emu::Allocation;
using emu::Arena;

namespace {

// Away from the places of a World.
constexpr uint64_t kBase = 0x5000'0000'0000, kStride = 64 << 20;
uint64_t number(const std::byte* p) { return reinterpret_cast<uint64_t>(p); }

}  // namespace

TEST_CASE("arena: slots lie one stride apart and know their addresses") {
  Arena arena(kBase, kStride, 3);
  CHECK(arena.base(0) == kBase);
  CHECK(arena.base(2) == kBase + 2 * kStride);
  CHECK(arena.contains(kBase));
  CHECK(arena.contains(kBase + 3 * kStride - 1));
  CHECK_FALSE(arena.contains(kBase + 3 * kStride));
  CHECK_FALSE(arena.contains(kBase - 1));
  CHECK(arena.slot_of(kBase + kStride - 1) == 0);
  CHECK(arena.slot_of(kBase + kStride) == 1);
}

TEST_CASE("arena: memory can be written, is private to its slot, and has equal offsets for equal calls") {
  Arena arena(kBase, kStride, 2);
  std::byte *a = arena.allocate(0, 1000, 0, "a", 1), *b = arena.allocate(1, 1000, 0, "b", 1);
  REQUIRE(a);
  CHECK(number(b) - number(a) == kStride);
  std::memset(a, 1, 1000);
  std::memset(b, 2, 1000);
  CHECK(a[999] == std::byte{1});
  std::byte* big = arena.allocate(0, 30 << 20, 0, "big", 1);
  std::memset(big, 3, 30 << 20);
  CHECK(arena.used(0) == 1024 + (30 << 20));
}

TEST_CASE("arena: valid is true inside one live allocation only") {
  Arena arena(kBase, kStride, 1);
  uint64_t a = number(arena.allocate(0, 1000, 0, "a", 1)), b = number(arena.allocate(0, 100, 0, "b", 1));
  CHECK(arena.valid(a, 1000));
  CHECK(arena.valid(a + 999, 1));
  CHECK(arena.valid(a + 1000, 0));
  CHECK_FALSE(arena.valid(a, 1001));      // into the gap
  CHECK_FALSE(arena.valid(a + 1000, 1));  // in the gap
  CHECK_FALSE(arena.valid(a, b - a + 1));  // across two
  CHECK_FALSE(arena.valid(b + 512, 1));
  CHECK_FALSE(arena.valid(a, ~0ull));  // no wrap
  CHECK_FALSE(arena.valid(kBase - 8, 1));
}

TEST_CASE("arena: find gives the allocation at or before an address, with its origin") {
  Arena arena(kBase, kStride, 2);
  arena.allocate(0, 16, 0, "first", 11);
  uint64_t b = number(arena.allocate(0, 1000, 0, "second", 22));
  const Allocation* found = arena.find(b + 500);
  REQUIRE(found);
  CHECK(std::string(found->what) == "second");
  CHECK(found->bytes == 1000);
  CHECK(found->site == 22);
  CHECK(found->number == 1);
  CHECK(arena.find(b + 100'000) == found);  // nearest before
  CHECK(arena.find(arena.base(1)) == nullptr);
  CHECK(arena.find(kBase - 1) == nullptr);
}

TEST_CASE("arena: what was released is remembered until its place is used again") {
  Arena arena(kBase, kStride, 1);
  uint64_t a = number(arena.allocate(0, 1000, 0, "gone", 7));
  CHECK(arena.last_released(a) == nullptr);
  CHECK_FALSE(arena.release(a + 512));  // not a start
  CHECK_FALSE(arena.release(kBase - 512));
  CHECK(arena.release(a));
  CHECK_FALSE(arena.release(a));  // twice
  CHECK_FALSE(arena.valid(a, 1));
  const Allocation* gone = arena.last_released(a + 999);
  REQUIRE(gone);
  CHECK(std::string(gone->what) == "gone");
  CHECK(arena.last_released(a + 1000) == nullptr);
  CHECK(number(arena.allocate(0, 10, 0, "new", 8)) == a);
  CHECK(arena.last_released(a) == nullptr);
}

TEST_CASE("arena: a full slot answers with null, the others go on") {
  Arena arena(kBase, kStride, 2);
  CHECK(arena.allocate(0, kStride, 0, "all", 1));
  CHECK(arena.allocate(0, 1, 0, "more", 1) == nullptr);
  CHECK(arena.allocate(1, 1, 0, "other", 1));
}

TEST_CASE("arena: a place that is taken is an error that says so") {
  Arena arena(kBase, kStride, 1);
  CHECK_THROWS_WITH(Arena(kBase, kStride, 1), Catch::Contains("cannot reserve 64 MiB of address space at 0x500000000000"));
}
