#include "device/watch.hpp"

#include <catch2/catch.hpp>

using namespace shmemu;
using namespace shmemu::device;

namespace {

std::vector<Actor*> on_lines(const WatchTable& table, uint64_t address, uint64_t bytes) {
  std::vector<Actor*> out;
  table.on_lines(address, bytes, out);
  return out;
}

std::vector<Actor*> of_pe(const WatchTable& table, int pe, bool unknown_only) {
  std::vector<Actor*> out;
  table.of_pe(PeId{pe}, unknown_only, out);
  return out;
}

using List = std::vector<Actor*>;

}  // namespace

TEST_CASE("watch: a sleeper is found by any change of its 128-byte line") {
  WatchTable table;
  Host a;
  table.add(a, 1024 + 8, 8);
  CHECK(on_lines(table, 1024, 1) == List{&a});
  CHECK(on_lines(table, 1024 + 127, 1) == List{&a});
  CHECK(on_lines(table, 1024 + 128, 8).empty());
  CHECK(on_lines(table, 1023, 1).empty());
  CHECK(on_lines(table, 0, 4096) == List{&a});
}

TEST_CASE("watch: a word across two lines and an array are found on each, once") {
  WatchTable table;
  Host a;
  table.add(a, 1024 - 4, 8);
  CHECK(on_lines(table, 1024 - 128, 1) == List{&a});
  CHECK(on_lines(table, 1024, 1) == List{&a});
  CHECK(on_lines(table, 0, 4096) == List{&a});
  table.remove(a);
  table.add(a, 2048, 512);
  for (uint64_t line = 0; line < 4; ++line) CHECK(on_lines(table, 2048 + 128 * line, 1) == List{&a});
}

TEST_CASE("watch: sleepers come in the order in which they fell asleep") {
  WatchTable table;
  Host a, b, c;
  for (Host* h : {&b, &c, &a}) table.add(*h, 512, 8);
  CHECK(on_lines(table, 512, 8) == List{&b, &c, &a});
  table.remove(c);
  CHECK(on_lines(table, 512, 8) == List{&b, &a});
}

TEST_CASE("watch: sleepers of a PE, with and without a known address") {
  WatchTable table;
  Host a, b, other;
  a.pe = b.pe = {1};
  other.pe = {2};
  table.add(a, 512, 8);
  table.add_unknown(b);
  table.add(other, 512, 8);
  CHECK(of_pe(table, 1, true) == List{&b});
  CHECK(of_pe(table, 1, false) == List{&b, &a});
  CHECK(of_pe(table, 2, true).empty());
  CHECK(of_pe(table, 3, false).empty());
  List all;
  table.everyone(all);
  CHECK(all.size() == 3);
}

TEST_CASE("watch: who is removed is found nowhere") {
  WatchTable table;
  Host a, b;
  table.add(a, 512, 1024);
  table.add_unknown(b);
  table.remove(a);
  table.remove(b);
  table.remove(b);  // again: nothing happens
  CHECK(on_lines(table, 0, 1 << 20).empty());
  CHECK(of_pe(table, 0, false).empty());
  CHECK(table.size() == 0);
}
