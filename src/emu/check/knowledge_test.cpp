#include "emu/check/knowledge.hpp"

#include <catch2/catch.hpp>

using namespace shmemu;
using namespace shmemu::emu::checks;

TEST_CASE("tickets that follow each other are one range, in whatever order they come") {
  Tickets t;
  for (uint64_t ticket : {5, 3, 9, 4, 5}) t.add(ticket);
  CHECK(t.ranges() == 2);
  for (uint64_t ticket : {3, 4, 5, 9}) CHECK(t.contains(ticket));
  for (uint64_t ticket : {2, 6, 8, 10, 0}) CHECK_FALSE(t.contains(ticket));
}

TEST_CASE("joined tickets are those of both; the joined one stays as it was") {
  Tickets a, b;
  a.add(1), a.add(2);
  b.add(3), b.add(7);
  a.join(b);
  CHECK(a.ranges() == 2);
  CHECK(a.contains(3));
  CHECK_FALSE(b.contains(1));
}

TEST_CASE("what is ordered before an operation to one PE says nothing about another PE") {
  Event put{PeId{0}, kHostChain, 4};
  Delivered d;
  d.to[1].add_event(put);
  CHECK(d.covers(put, PeId{1}, 0));
  CHECK_FALSE(d.covers(put, PeId{2}, 0));
  d.all.add_event(put);
  CHECK(d.covers(put, PeId{2}, 0));
}

TEST_CASE("the number of ranges is bounded: the oldest of a sender close up, no ticket is forgotten") {
  Tickets t;
  for (uint64_t i = 1; i <= 200; ++i) t.add(2 * i);
  CHECK(t.ranges() == Tickets::kMost);
  for (uint64_t i = 1; i <= 200; ++i) CHECK(t.contains(2 * i));
  CHECK_FALSE(t.contains(399));
  CHECK_FALSE(t.contains(402));
}
