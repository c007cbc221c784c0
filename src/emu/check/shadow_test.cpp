#include "emu/check/shadow.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace shmemu::emu::checks;

namespace {

struct Memory {
  Accesses accesses;
  Shadow shadow{accesses};
  uint32_t add(uint64_t address, uint64_t bytes, bool replaces) {
    Access access;
    access.site = ++count;
    uint32_t number = accesses.add(access);
    accesses.refer(number);
    shadow.add(address, bytes, number, [&](const Access&, uint64_t, uint64_t) { return replaces; });
    accesses.release(number);
    return number;
  }
  std::set<uint64_t> at(uint64_t address, uint64_t bytes = 1) {
    std::set<uint64_t> found;
    shadow.look(address, bytes, [&](const Access& a, uint64_t, uint64_t) { found.insert(a.site); });
    return found;
  }
  uint64_t count = 0;
};

}  // namespace

TEST_CASE("a byte keeps the accesses that were not replaced, also across pages") {
  Memory m;
  m.add(4000, 200, true);  // 1: over a page boundary
  m.add(4090, 10, true);   // 2: replaces the middle
  m.add(4095, 1, false);   // 3: beside 2
  CHECK(m.at(4000) == std::set<uint64_t>{1});
  CHECK(m.at(4090) == std::set<uint64_t>{2});
  CHECK(m.at(4095) == std::set<uint64_t>{2, 3});
  CHECK(m.at(4099) == std::set<uint64_t>{2});
  CHECK(m.at(4100) == std::set<uint64_t>{1});
  CHECK(m.at(4200).empty());
}

TEST_CASE("accesses that no byte remembers are given back") {
  Memory m;
  for (int i = 0; i < 100; ++i) m.add(4096, 8192, true);
  CHECK(m.accesses.size() == 1);
  for (uint64_t i = 0; i < 2048; ++i) m.add(4096 + 4 * i, 4, true);
  CHECK(m.accesses.size() == 2048);
  m.shadow.clear(0, 1 << 20);
  CHECK(m.accesses.size() == 0);
  CHECK(m.at(4096, 8192).empty());
}

TEST_CASE("of more accesses than a run has room for the oldest goes") {
  Memory m;
  for (int i = 0; i < 6; ++i) m.add(0, 8, false);
  CHECK(m.at(0, 8) == std::set<uint64_t>{3, 4, 5, 6});
}
