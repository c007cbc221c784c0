#include "emu/check/flags.hpp"

#include <catch2/catch.hpp>

using namespace shmemu;
using namespace shmemu::emu::checks;

namespace {

// Knowledge of one moment of PE `pe`'s host.
Knowledge of(int pe) {
  Knowledge k;
  k.executed.add_event(Event{PeId{pe}, kHostChain, 1});
  return k;
}
bool knows(const Knowledge* k, int pe) { return k && k->executed.contains(Event{PeId{pe}, kHostChain, 1}); }
auto at_least(uint64_t wanted) {
  return [=](uint64_t v) { return v >= wanted; };
}

}  // namespace

TEST_CASE("a wait learns from the first write that satisfies it, not from luckier later ones") {
  Flags flags;
  flags.written(64, 1, false, of(0));
  flags.written(64, 2, false, of(1));
  flags.written(64, 3, false, of(2));
  CHECK(knows(flags.announced(64, at_least(2)), 1));
  CHECK_FALSE(knows(flags.announced(64, at_least(2)), 2));
  CHECK(flags.announced(64, at_least(4)) == nullptr);
  CHECK(flags.announced(72, at_least(0)) == nullptr);
}

TEST_CASE("a flag that was taken back announces nothing more") {
  Flags flags;
  flags.written(64, 1, false, of(0));
  flags.written(64, 0, false, of(1));
  flags.written(64, 1, false, of(2));
  CHECK(knows(flags.announced(64, at_least(1)), 2));
  CHECK_FALSE(knows(flags.announced(64, at_least(1)), 0));
  flags.forget(64, 8);
  CHECK(flags.announced(64, at_least(1)) == nullptr);
}

TEST_CASE("a wait for a value that has passed since learns from the write that brought it") {
  Flags flags;
  flags.written(64, 1, false, of(0));
  flags.written(64, 2, false, of(1));
  const Knowledge* seen = flags.announced(64, [](uint64_t v) { return v == 1; });
  CHECK(knows(seen, 0));
  CHECK_FALSE(knows(seen, 1));
}

TEST_CASE("a sum announces what all its summands announced") {
  Flags flags;
  flags.written(64, 1, true, of(0));
  flags.written(64, 2, true, of(1));
  CHECK(knows(flags.announced(64, at_least(2)), 0));
  CHECK(knows(flags.announced(64, at_least(2)), 1));
  CHECK_FALSE(knows(flags.announced(64, at_least(1)), 1));
}

TEST_CASE("a write of unknown value satisfies every wait") {
  Flags flags;
  flags.written(64, of(0));
  flags.written(64, of(1));
  CHECK(knows(flags.announced(64, at_least(7)), 0));
  CHECK(knows(flags.last(64), 1));
}
