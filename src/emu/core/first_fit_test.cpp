#include "emu/core/first_fit.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <vector>

#include "base/random.hpp"

using namespace shmemu;
using emu::FirstFit;

TEST_CASE("first fit: sizes and addresses are multiples of 512 B") {
  FirstFit f(1 << 20);
  CHECK(f.allocate(1) == 0);
  CHECK(f.allocate(512) == 512);
  CHECK(f.allocate(513) == 1024);
  CHECK(f.allocate(8) == 2048);
  CHECK(f.used() == 2560);
}

TEST_CASE("first fit: the lowest hole that is large enough is taken") {
  FirstFit f(1 << 20);
  auto a = f.allocate(1024), b = f.allocate(512), c = f.allocate(2048), d = f.allocate(512);
  f.release(*a, 1024);
  f.release(*c, 2048);
  CHECK(f.allocate(2048) == c);
  CHECK(f.allocate(512) == a);
  CHECK(f.allocate(512) == *a + 512);
  CHECK(f.allocate(512) == *d + 512);
  (void)b;
}

TEST_CASE("first fit: freed neighbours merge in every order") {
  for (auto order : {std::vector<size_t>{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    FirstFit f(3 * 512);
    std::vector<uint64_t> at;
    for (int i = 0; i < 3; ++i) at.push_back(*f.allocate(512));
    CHECK_FALSE(f.allocate(1));
    for (size_t i : order) f.release(at[i], 512);
    CHECK(f.used() == 0);
    CHECK(f.allocate(3 * 512) == 0);
  }
}

TEST_CASE("first fit: larger alignments are kept and the gap stays usable") {
  FirstFit f(1 << 20);
  CHECK(f.allocate(512) == 0);
  CHECK(f.allocate(512, 4096) == 4096);
  CHECK(f.allocate(512) == 512);
  CHECK(f.allocate(1, 8) == 1024);  // smaller ones are raised
}

TEST_CASE("first fit: a full range answers with nothing and stays intact") {
  FirstFit f(2048);
  CHECK(f.allocate(2048) == 0);
  CHECK_FALSE(f.allocate(1));
  f.release(0, 2048);
  CHECK_FALSE(f.allocate(2049));
  CHECK(f.allocate(2048) == 0);
}

TEST_CASE("first fit: equal call sequences give equal offsets, and live ranges never overlap") {
  FirstFit a(1 << 22), b(1 << 22);
  Random random(4);
  std::map<uint64_t, uint64_t> live;
  for (int i = 0; i < 5000; ++i) {
    if (live.empty() || random.below(3)) {
      uint64_t bytes = 1 + random.below(20'000);
      auto at = a.allocate(bytes);
      REQUIRE(at == b.allocate(bytes));
      if (!at) continue;
      auto [entry, fresh] = live.emplace(*at, FirstFit::rounded(bytes));
      REQUIRE(fresh);
      if (entry != live.begin()) REQUIRE(std::prev(entry)->first + std::prev(entry)->second <= *at);
      if (std::next(entry) != live.end()) REQUIRE(*at + entry->second <= std::next(entry)->first);
    } else {
      auto victim = std::next(live.begin(), static_cast<ptrdiff_t>(random.below(live.size())));
      a.release(victim->first, victim->second);
      b.release(victim->first, victim->second);
      live.erase(victim);
    }
  }
  uint64_t sum = 0;
  for (auto& [offset, bytes] : live) sum += bytes;
  CHECK(a.used() == sum);
}
