#include "base/csv.hpp"

#include <catch2/catch.hpp>

using shmemu::fields_of;

TEST_CASE("csv: commas part fields, not those in quotes; empty fields stay") {
  CHECK(fields_of("a,\"b, c\",,d") == std::vector<std::string>{"a", "b, c", "", "d"});
  CHECK(fields_of("") == std::vector<std::string>{""});
}
