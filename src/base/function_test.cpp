#include "base/function.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace shmemu;

TEST_CASE("an action is empty until it gets a callable") {
  Action none;
  CHECK_FALSE(none);
  int calls = 0;
  none = Action([&] { ++calls; });
  REQUIRE(none);
  none();
  none();
  CHECK(calls == 2);
}

TEST_CASE("an action owns what its callable captured and destroys it once") {
  auto watched = std::make_shared<int>(1);
  {
    Action a([watched] {});
    CHECK(watched.use_count() == 2);
    Action b(std::move(a));
    CHECK_FALSE(a);
    CHECK(watched.use_count() == 2);
    Action c([] {});
    c = std::move(b);
    CHECK_FALSE(b);
    CHECK(watched.use_count() == 2);
    c = Action();
    CHECK(watched.use_count() == 1);
  }
  CHECK(watched.use_count() == 1);
}

TEST_CASE("an action holds callables that only move") {
  int seen = 0;
  Action a([p = std::make_unique<int>(5), &seen] { seen = *p; });
  Action b = std::move(a);
  b();
  CHECK(seen == 5);
}
