#include <catch2/catch.hpp>

#include "deepep/accounting.hpp"
#include "deepep/wire.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::deepep;

namespace {

struct Arrivals : WireSink {
  explicit Arrivals(EventQueue& q) : queue(q) {}
  void arrived(int, int, uint64_t tag) override { seen.emplace_back(tag, queue.now()); }
  EventQueue& queue;
  std::vector<std::pair<uint64_t, Time>> seen;
};

struct World {
  explicit World(bool adaptive = true, int ep = 16, Platform p = load_platform(test::platform_folder(), "hgx-h800"))
      : platform(std::move(p)) {
    setup.ep = ep, setup.adaptive_routing = adaptive;
    fill_defaults(setup, platform);
    wire = std::make_unique<Wire>(queue, platform, setup, costs, 4, sink);
  }
  void run() {
    while (!queue.empty()) queue.run_next();
  }
  Wire::Message message(int to, uint32_t bytes, uint64_t tag) const {
    return {to, bytes, tag, Wire::Kind::write, true, false, false};
  }
  Platform platform;
  Costs costs = load_costs(test::platform_folder() / "deepep" / "v1.yaml");
  Setup setup;
  EventQueue queue;
  Arrivals sink{queue};
  std::unique_ptr<Wire> wire;
};

// Eight ranks below one leaf each send 1 MiB to one of eight below another; when the last has arrived.
Time across_spine(bool adaptive, double oversubscription) {
  Platform p = load_platform(test::platform_folder(), "hgx-h800");
  p.fabric.kind = FabricModel::Kind::fat_tree;
  p.fabric.leaf_ports = 8, p.fabric.oversubscription = oversubscription;
  World w(adaptive, 16, p);
  for (int r = 0; r < 8; ++r) w.wire->post(r, 0, w.message(8 + r, 1 << 20, static_cast<uint64_t>(r)), true);
  w.run();
  REQUIRE(w.sink.seen.size() == 8);
  return w.sink.seen.back().second;
}

}  // namespace

TEST_CASE("what has not been rung does not leave", "[deepep]") {
  World w;
  w.wire->post(0, 1, w.message(8, 4096, 1), false);
  w.run();
  CHECK(w.sink.seen.empty());
  w.wire->post(0, 1, w.message(8, 4096, 2), true);  // rings for both
  w.run();
  REQUIRE(w.sink.seen.size() == 2);
  CHECK(w.sink.seen[0].first == 1);
}

// Rank 0 and 8 are of the same rail, below one leaf. The first message is there a flight and its own time after the
// doorbell; the second follows at the rate of the adapter.
TEST_CASE("a message takes its flight and its bytes, the next one its bytes", "[deepep]") {
  World w;
  Time work = adapter_rate(w.platform, w.setup).time_for(7408);
  w.wire->post(0, 1, w.message(8, 7408, 1), true);
  w.wire->post(0, 1, w.message(8, 7408, 2), true);
  w.run();
  REQUIRE(w.sink.seen.size() == 2);
  CHECK(w.sink.seen[0].second == w.platform.nic->flight + w.platform.nic->payload_fetch + work);
  CHECK(w.sink.seen[1].second == w.sink.seen[0].second + work);
}

TEST_CASE("two senders share the receiver's adapter", "[deepep]") {
  World w;
  Time work = adapter_rate(w.platform, w.setup).time_for(1 << 20);
  w.wire->post(0, 0, w.message(8, 1 << 20, 1), true);
  w.wire->post(1, 0, w.message(8, 1 << 20, 2), true);
  w.run();
  REQUIRE(w.sink.seen.size() == 2);
  CHECK(w.sink.seen[1].second - w.sink.seen[0].second == work);
}

// On one path packets keep their order; on many the adapter holds the atomic until the writes before it are
// acknowledged.
TEST_CASE("a count behind data waits longer with adaptive routing", "[deepep]") {
  Time seen[2];
  for (bool adaptive : {false, true}) {
    World w(adaptive);
    w.wire->post(0, 0, {8, 4, 1, Wire::Kind::atomic, true, true, false}, true);
    w.run();
    seen[adaptive] = w.sink.seen.at(0).second;
  }
  World w;
  CHECK(seen[1] - seen[0] == w.costs.ll.order_wait - w.platform.nic->atomic);
}

// Eight flows from one leaf to another over eight links: fixed paths put several on one of them.
TEST_CASE("fixed paths collide in the spine, adaptive ones do not", "[deepep]") {
  Time last[2];
  for (bool adaptive : {false, true}) last[adaptive] = across_spine(adaptive, 1);
  CHECK(last[0] > last[1] * 3 / 2);
}

// The last of eight begins when seven have gone up: after 7/8 of a message's time on eight links, after 7 on one.
TEST_CASE("an eighth of the uplinks lets the last message wait eight times as long", "[deepep]") {
  Time full = across_spine(true, 1), thin = across_spine(true, 8);
  Time work = World().platform.nic->line_rate.time_for(1 << 20);
  CHECK((thin - full).us() == Approx((work * 49 / 8).us()).epsilon(0.01));
}
