#include "base/digest.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace shmemu;

namespace {

template <class... T>
uint64_t digest_of(T... values) {
  Digest d;
  (d.add(values), ...);
  return d.value();
}

}  // namespace

TEST_CASE("equal input gives equal digests") {
  CHECK(digest_of(uint64_t{1}, uint64_t{2}) == digest_of(uint64_t{1}, uint64_t{2}));
}

TEST_CASE("a digest depends on order, on every bit and on where texts end") {
  CHECK(digest_of(uint64_t{1}, uint64_t{2}) != digest_of(uint64_t{2}, uint64_t{1}));
  CHECK(digest_of(std::string_view("ab"), std::string_view("c")) != digest_of(std::string_view("a"), std::string_view("bc")));
  CHECK(digest_of(std::string_view("")) != digest_of());
  std::set<uint64_t> seen;
  for (int bit = 0; bit < 64; ++bit) seen.insert(digest_of(uint64_t{1} << bit));
  CHECK(seen.size() == 64);
}
