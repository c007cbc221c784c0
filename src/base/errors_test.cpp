#include "base/errors.hpp"

#include <catch2/catch.hpp>

#include "tests/unit_support.hpp"

using namespace shmemu;

TEST_CASE("a user error carries its exit code and message") {
  UserError e(ExitCode::usage, "unknown platform");
  CHECK(e.code() == ExitCode::usage);
  CHECK(std::string(e.what()) == "unknown platform");
  CHECK(static_cast<int>(ExitCode::deadlock) == 4);
}

TEST_CASE("a failed assertion names expression, values and place, and aborts") {
  std::string text = test::abort_message([] { SHMEMU_ASSERT(1 + 1 == 3, "sum 2"); });
  for (const char* part : {"internal error", "1 + 1 == 3", "sum 2", "errors_test.cpp"})
    CHECK(text.find(part) != std::string::npos);
  CHECK(test::abort_message([] { SHMEMU_ASSERT(1 + 1 == 2, ""); }).empty());
}
