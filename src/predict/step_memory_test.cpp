#include "predict/step_memory.hpp"

#include <catch2/catch.hpp>

using namespace shmemu;
using namespace shmemu::predict;

namespace {

constexpr Time kFound{10}, kSeen{30};

// Two PEs signal each other: look after 100, the signals are there after 500 and 600, the step ends 7 later.
Phases two(Time look = {100}) {
  return {{{1, look, 1, 11, {600}}, {2, {7}, 0, 0, {}}}, {{1, look, 0, 12, {500}}, {2, {7}, 1, 0, {}}}};
}

}  // namespace

TEST_CASE("phase sums: a PE goes on when it has seen its signal or found it there") {
  PhaseSums sums(kFound, kSeen);
  REQUIRE(sums.learn(5, two()));
  // together: 600 + 30 + 7 and 500 + 30 + 7
  Clocks together{{0}, {0}};
  REQUIRE(sums.pass(5, together));
  CHECK(together == Clocks{{637}, {537}});
  // PE 1 is 1000 late: PE 0 waits until 1600 + 30 + 7; PE 1 finds its signal (500 <= 1100), 1100 + 10 + 7
  Clocks apart{{0}, {1000}};
  REQUIRE(sums.pass(5, apart));
  CHECK(apart == Clocks{{1637}, {1117}});
  // a signal that comes at the moment it is looked for is there
  Clocks same{{0}, {-500}};
  REQUIRE(sums.pass(5, same));
  CHECK(same.front() == Time{117});
}

TEST_CASE("phase sums: work that does not take the same time each time is not added up") {
  PhaseSums sums(kFound, kSeen);
  REQUIRE(sums.learn(5, two()));
  CHECK_FALSE(sums.learn(6, two({101})));
  Clocks clocks{{0}, {0}};
  CHECK_FALSE(sums.pass(5, clocks));  // it consists of the same work
  CHECK(clocks == Clocks{{0}, {0}});
}

TEST_CASE("step memory: a step from the same distances is known, from others it is not") {
  StepMemory memory(kFound, kSeen);
  memory.learn(3, {{{0}, {5}}, {{100}, {120}}, 9}, {{900}, {950}}, Phases(2));
  StepMemory::State later{{{900}, {905}}, {{1000}, {1020}}, 9};
  REQUIRE(memory.pass(3, later));
  CHECK(later.now == Clocks{{1800}, {1850}});
  CHECK(later.earlier == Clocks{{1000}, {1020}});
  CHECK(later.earlier_kind == 3);
  StepMemory::State apart{{{900}, {905}}, {{1000}, {1021}}, 9};
  CHECK_FALSE(memory.pass(3, apart));
  StepMemory::State before{{{900}, {906}}, {{1000}, {1020}}, 9};
  CHECK_FALSE(memory.pass(3, before));
  StepMemory::State after_another{{{900}, {905}}, {{1000}, {1020}}, 8};
  CHECK_FALSE(memory.pass(3, after_another));
  StepMemory::State other{{{900}, {905}}, {{1000}, {1020}}, 9};
  CHECK_FALSE(memory.pass(4, other));
}

// Steps of 100; both PEs together. The first one is like no other; what the second one has shown is passed over, but
// for the last two.
TEST_CASE("step loop: all PEs jump to the same step") {
  StepMemory memory(kFound, kSeen);
  StepLoop loop(memory, 2, 9, [](uint64_t) { return 1; });
  loop.begins(0, {0}), loop.begins(1, {0});
  CHECK(loop.ends(0, 0, {100}, {}) == nullptr);
  CHECK(loop.ends(1, 0, {100}, {}) == nullptr);
  CHECK(loop.ends(0, 1, {200}, {}) == nullptr);
  CHECK(loop.ends(1, 1, {200}, {}) == nullptr);
  for (size_t pe : {0, 1}) {
    const StepLoop::Jump* jump = loop.ends(pe, 2, {300}, {});
    REQUIRE(jump);
    CHECK(jump->to == 7);
    CHECK(jump->at == Clocks{{700}, {700}});
    CHECK(jump->common == Time{400});
  }
  CHECK(loop.ends(0, 7, {800}, {}) == nullptr);
}
