#include "device/actor.hpp"

#include <catch2/catch.hpp>

#include "tests/unit_support.hpp"

using namespace shmemu;
using device::Outstanding;

TEST_CASE("outstanding: a mark is drained when everything before it has come back, in any order") {
  Outstanding o;
  uint64_t a = o.add(), b = o.add();
  uint64_t mark = o.mark();
  uint64_t c = o.add();
  CHECK_FALSE(o.drained(mark));
  o.remove(b);
  CHECK_FALSE(o.drained(mark));
  o.remove(a);
  CHECK(o.drained(mark));  // c is younger than the mark
  CHECK_FALSE(o.drained(o.mark()));
  CHECK(o.size() == 1);
  o.remove(c);
  CHECK(o.drained(o.mark()));
  CHECK(o.size() == 0);
}

TEST_CASE("outstanding: nothing posted is drained") {
  Outstanding o;
  CHECK(o.drained(o.mark()));
}

TEST_CASE("outstanding: coming back twice is a bug of ours") {
  CHECK_FALSE(test::abort_message([] {
                Outstanding o;
                uint64_t a = o.add();
                o.remove(a);
                o.remove(a);
              }).empty());
}

TEST_CASE("a block owns its shared memory and nothing else") {
  char shared[64];
  device::Cta cta;
  cta.shared_begin = shared, cta.shared_end = shared + sizeof shared;
  auto begin = reinterpret_cast<uint64_t>(shared);
  CHECK(cta.owns(begin));
  CHECK(cta.owns(begin + 63));
  CHECK_FALSE(cta.owns(begin + 64));
  CHECK_FALSE(cta.owns(begin - 1));
}
