#include "report/message_rate.hpp"

#include <catch2/catch.hpp>

#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

MessageRate many(uint64_t messages, uint64_t bytes) {
  MessageRate m;
  Op op;
  op.kind = OpKind::p, op.target = {1};
  for (uint64_t i = 0; i < messages; ++i) m.add(op, bytes);
  return m;
}

MessageRate::Limit limit(bool network, Time end) {
  return {[network](PeId, PeId) { return network; }, 500_ns, "the proxy", Rate::gb_per_s(50), end};
}

}  // namespace

TEST_CASE("message rate: named when a third of the run is the sending of small messages") {
  // 1000 messages of 0.5 us are 500 us
  auto found = many(1000, 8).finding(limit(true, 600_us));
  REQUIRE(found);
  CHECK(found->rule == "perf.message-rate");
  CHECK_THAT(found->what, Catch::Contains("PE 0 sends 1000 of 8 B"));
  CHECK_THAT(found->values, Catch::Contains("the proxy takes 2.00 million/s") && Catch::Contains("(83 %)") &&
                                Catch::Contains("160.000 ns"));
  CHECK_THAT(found->remedy, Catch::Contains("one put"));
  CHECK(many(1000, 8).finding(limit(true, 1500_us)));
}

TEST_CASE("message rate: not named for a small share, large messages, or loads and stores") {
  CHECK_FALSE(many(1000, 8).finding(limit(true, 1501_us)));
  CHECK_FALSE(many(1000, 4096).finding(limit(true, 600_us)));
  CHECK_FALSE(many(1000, 8).finding(limit(false, 600_us)));
  CHECK_FALSE(MessageRate{}.finding(limit(true, 1_us)));
}
