#include "emu/check/clock.hpp"

#include <catch2/catch.hpp>

using namespace shmemu;
using namespace shmemu::emu::checks;

namespace {

Event of_thread(int pe, uint64_t command, uint64_t block, uint32_t thread, uint32_t block_epoch = 0,
                uint32_t thread_epoch = 0) {
  return {PeId{pe}, 1, command, block, thread / 32, thread, block_epoch, 0, thread_epoch};
}

}  // namespace

TEST_CASE("a clock knows a thread's earlier moments and no later ones") {
  Clock c;
  c.add_event(of_thread(0, 1, 7, 3, 0, 4));
  CHECK(c.contains(of_thread(0, 1, 7, 3, 0, 4)));
  CHECK(c.contains(of_thread(0, 1, 7, 3, 0, 1)));
  CHECK_FALSE(c.contains(of_thread(0, 1, 7, 3, 0, 5)));
  CHECK_FALSE(c.contains(of_thread(0, 1, 7, 4, 0, 1)));
  CHECK_FALSE(c.contains(of_thread(1, 1, 7, 3, 0, 1)));
}

TEST_CASE("a barrier of a block makes all its threads' moments known, and only those before it") {
  Clock c;
  c.add_event(of_thread(0, 1, 7, 3, 0, 4));
  c.add(PeId{0}, mark_of_block(of_thread(0, 1, 7, 0), 2));
  CHECK(c.contains(of_thread(0, 1, 7, 900, 1, 55)));
  CHECK_FALSE(c.contains(of_thread(0, 1, 7, 900, 2, 0)));
  CHECK_FALSE(c.contains(of_thread(0, 1, 8, 900, 1, 0)));
}

TEST_CASE("the end of a command covers everything in it and before it in its stream") {
  Clock c;
  c.advance(PeId{0}, 1, 5);
  CHECK(c.contains(of_thread(0, 5, 7, 3, 9, 9)));
  CHECK(c.contains(of_thread(0, 2, 1, 3)));
  CHECK_FALSE(c.contains(of_thread(0, 6, 9, 3)));
}

TEST_CASE("joining adds what the other knows; copies made before do not change") {
  Clock a, b;
  a.add_event(of_thread(0, 1, 7, 3, 0, 4));
  b.add_event(of_thread(1, 1, 9, 0, 0, 2));
  b.add_event(of_thread(0, 1, 7, 5, 0, 1));
  Clock before = a;
  a.join(b);
  CHECK(a.contains(of_thread(0, 1, 7, 3, 0, 4)));
  CHECK(a.contains(of_thread(0, 1, 7, 5, 0, 1)));
  CHECK(a.contains(of_thread(1, 1, 9, 0, 0, 2)));
  CHECK_FALSE(before.contains(of_thread(1, 1, 9, 0, 0, 2)));
}

TEST_CASE("a part of a clock has the moments of one PE") {
  Clock a;
  a.add_event(of_thread(0, 1, 7, 3));
  a.add_event(of_thread(1, 1, 9, 0));
  CHECK(a.only(PeId{1}).contains(of_thread(1, 1, 9, 0)));
  CHECK_FALSE(a.only(PeId{1}).contains(of_thread(0, 1, 7, 3)));
}
