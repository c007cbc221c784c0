// Lanes that make the same scalar call are one warp instruction and one packet.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "harness.hpp"

using namespace shmemu::test;

TEST_CASE("32 lanes that call p on one line are one packet") {
  auto timeline = scratch("packets.jsonl");
  Result r = run_program("programs/lanes_p_one_packet", {"-q", "-n", "2", "--timeline", timeline.string()});
  INFO(show(r));
  REQUIRE(r.code == 0);
  int packets = 0;
  for (const std::string& line : lines_of(read_file(timeline))) {
    auto entry = nlohmann::json::parse(line);
    if (entry["op"] != "p") continue;
    ++packets;
    CHECK(entry["lanes"] == 32);
    CHECK(entry["bytes"] == 128);
  }
  CHECK(packets == 2);  // one per PE
}
