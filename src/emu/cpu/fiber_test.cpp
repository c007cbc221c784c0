#include "emu/cpu/fiber.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

using namespace shmemu::emu;

namespace {

constexpr size_t kStack = 64 << 10;

struct Story {
  std::string text;
  Fiber* fiber = nullptr;
  char name = 'a';
  std::string* shared = nullptr;
};

// Goes down the stack by about `levels` KiB and leaves the fiber there.
__attribute__((noinline)) size_t deep(int levels) {
  volatile char frame[1024];
  frame[levels % 1024] = static_cast<char>(levels);
  if (levels == 0) Fiber::leave();
  return levels == 0 ? 0 : deep(levels - 1) + static_cast<size_t>(frame[levels % 1024]);
}

}  // namespace

TEST_CASE("fiber: enter runs to the next leave and goes on behind it") {
  StackPool pool(kStack, 0);
  Story s;
  Fiber* f = pool.take();
  f->start(
      [](void* p) {
        auto& story = *static_cast<Story*>(p);
        story.text += "1";
        Fiber::leave();
        story.text += "3";
        Fiber::leave();
        story.text += "5";
      },
      &s);
  CHECK(s.text.empty());  // not before it is entered
  f->enter();
  s.text += "2";
  CHECK_FALSE(f->finished());
  f->enter();
  s.text += "4";
  f->enter();
  CHECK(s.text == "12345");
  CHECK(f->finished());
}

TEST_CASE("fiber: several take turns, each with a stack of its own") {
  StackPool pool(kStack, 0);
  std::string text;
  std::vector<Story> stories(3);
  std::vector<Fiber*> fibers;
  for (size_t i = 0; i < 3; ++i) {
    stories[i].name = static_cast<char>('a' + i);
    stories[i].shared = &text;
    fibers.push_back(pool.take());
    fibers.back()->start(
        [](void* p) {
          auto& story = *static_cast<Story*>(p);
          int local = story.name;
          for (int round = 0; round < 3; ++round) {
            *story.shared += static_cast<char>(local);
            Fiber::leave();
          }
        },
        &stories[i]);
  }
  for (int round = 0; round < 4; ++round)
    for (Fiber* f : fibers) f->enter();
  CHECK(text == "abcabcabc");
  for (Fiber* f : fibers) CHECK(f->finished());
}

TEST_CASE("fiber: one may enter another, leave goes back to who entered") {
  StackPool pool(kStack, 0);
  static std::string text;
  text.clear();
  Fiber *outer = pool.take(), *inner = pool.take();
  inner->start(
      [](void*) {
        text += "2";
        Fiber::leave();
        text += "4";
      },
      nullptr);
  outer->start(
      [](void* p) {
        text += "1";
        static_cast<Fiber*>(p)->enter();
        text += "3";
        static_cast<Fiber*>(p)->enter();
        text += "5";
        Fiber::leave();
        text += "7";
      },
      inner);
  outer->enter();
  text += "6";
  outer->enter();
  CHECK(text == "1234567");
}

TEST_CASE("fiber: exceptions stay inside") {
  StackPool pool(kStack, 0);
  static int caught;
  caught = 0;
  Fiber* f = pool.take();
  f->start(
      [](void*) {
        try {
          throw std::runtime_error("inside");
        } catch (const std::runtime_error&) {
          ++caught;
        }
      },
      nullptr);
  f->enter();
  CHECK(caught == 1);
}

TEST_CASE("fiber: stacks that were given back are used again") {
  StackPool pool(kStack, 0);
  Fiber* a = pool.take();
  Fiber* b = pool.take();
  CHECK(a->stack_low() != b->stack_low());
  static int runs;
  runs = 0;
  for (int i = 0; i < 100; ++i) {
    Fiber* f = i == 0 ? a : pool.take();
    f->start([](void*) { ++runs; }, nullptr);
    f->enter();
    pool.give(f);
  }
  CHECK(runs == 100);
  CHECK(pool.made() == 2);
  CHECK(pool.take() == a);
}

TEST_CASE("fiber: the whole stack can be used, and more is noticed") {
  // unguarded stacks: a neighbour's memory lies below, so going too deep is seen when the fiber leaves
  StackPool pool(kStack, 0);
  Fiber* below = pool.take();
  Fiber* f = pool.take();
  REQUIRE(below->stack_low() < f->stack_low());
  f->start([](void*) { deep(20); }, nullptr);
  f->enter();
  CHECK(f->stack_intact());
  f->enter();
  CHECK(f->finished());
#if !defined(__SANITIZE_ADDRESS__)  // its frames are larger, and it reports the overrun itself
  f->start([](void*) { deep(70); }, nullptr);
  f->enter();
  CHECK_FALSE(f->stack_intact());
#endif
}

TEST_CASE("fiber: a guarded stack knows its guard page") {
  StackPool pool(kStack, 2);
  Fiber *a = pool.take(), *b = pool.take(), *c = pool.take();
  auto low = [](Fiber* f) { return reinterpret_cast<uint64_t>(f->stack_low()); };
  CHECK(pool.in_guard(low(a) - 1));
  CHECK(pool.in_guard(low(b) - 4096));
  CHECK_FALSE(pool.in_guard(low(a)));
  CHECK_FALSE(pool.in_guard(low(c) + 8));
  CHECK_FALSE(pool.in_guard(0x1234));
  CHECK(a->stack_bytes() == kStack - 4096);
  std::memset(const_cast<char*>(a->stack_low()), 1, 64);  // the first byte above the guard is usable
}
