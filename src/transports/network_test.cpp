// Wires and switches of the network: closed forms for lone, sharing and oversubscribed flows.
#include "transports/network.hpp"

#include <catch2/catch.hpp>

#include <list>

#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

constexpr double kPayload = 48.95 * 4096 / 4142;  // GB/s of payload in full packets

struct Rig {
  EventQueue queue;
  Platform platform;
  Network network;
  std::list<Network::Queue> pairs;
  explicit Rig(FabricModel::Kind kind = FabricModel::Kind::rail, double oversubscription = 1)
      : platform(with(kind, oversubscription)), network(queue, platform, 32) {}
  static Platform with(FabricModel::Kind kind, double oversubscription) {
    Platform p = test::h200_node();
    p.fabric = {kind, kind == FabricModel::Kind::rail ? 2 : 8, oversubscription, 200_ns};
    return p;
  }
  // On a queue pair of its own; `when` becomes the arrival.
  void write(int from, int to, uint64_t bytes, Time& when) {
    Network::Request r;
    r.from = {from}, r.to = {to};
    r.bytes = bytes;
    r.read_source = [] {};
    r.arrived = [this, &when] { when = queue.now(); };
    r.completed = [] {};
    pairs.emplace_back();
    network.send(pairs.back(), std::move(r));
  }
  void finish() {
    while (!queue.empty()) queue.run_next();
  }
};

double rate(uint64_t bytes, Time arrival, double flight) {
  return static_cast<double>(bytes) / (arrival.us() - flight) * 1e-3;
}

}  // namespace

TEST_CASE("network: each further pair of switches costs two switch latencies") {
  Rig rig;
  Time near, rail, other;
  rig.write(0, 8, 8, near);          // same rail, one switch
  rig.write(1, 2 * 8 + 1, 8, rail);  // same rail, another group of nodes
  rig.write(2, 8 + 3, 8, other);     // another rail
  rig.finish();
  CHECK(near.us() == Approx(2.40).margin(0.003));
  CHECK(rail - near == 400_ns);
  CHECK(other - near == 400_ns);
}

TEST_CASE("network: two senders to one adapter get half of its port each, to two adapters all of it") {
  const uint64_t bytes = 16 << 20;
  for (bool same : {true, false}) {
    Rig rig;
    Time first, second;
    rig.write(0, 8, bytes, first);
    rig.write(1, same ? 8 : 9, bytes, second);
    rig.finish();
    CHECK(rate(bytes, second, 2.40 + (same ? 0.4 : 0)) == Approx(kPayload / (same ? 2 : 1)).epsilon(0.001));
  }
}

TEST_CASE("network: 8 adapters of a leaf share its uplinks: half the rate with an oversubscription of 2") {
  const uint64_t bytes = 16 << 20;
  for (double over : {1.0, 2.0, 4.0}) {
    Rig rig(FabricModel::Kind::fat_tree, over);
    Time when[8];
    for (int i = 0; i < 8; ++i) rig.write(i, 8 + i, bytes, when[i]);  // node 0 to node 1, two leaves
    rig.finish();
    for (Time t : when) CHECK(rate(bytes, t, 2.80) == Approx(kPayload / over).epsilon(0.001));
  }
}

TEST_CASE("network: small messages of many senders pass the port of their target one after the other") {
  Rig rig;
  std::list<Time> when;
  for (int i = 0; i < 400; ++i) rig.write(i % 8, 8, 4096, when.emplace_back());
  rig.finish();
  Time last;
  for (Time t : when) last = std::max(last, t);
  double needed = 400 * 4142 / 48.95e3;  // µs
  CHECK(last.us() == Approx(2.80 + needed).epsilon(0.02));
}

TEST_CASE("network: requests of one queue pair arrive in order whatever their sizes, reads wait for the answer") {
  Rig rig;
  Network::Queue pair;
  std::vector<int> arrived, completed;
  const uint64_t sizes[] = {1 << 20, 8, 4096, 100'000, 8};
  for (int i = 0; i < 5; ++i) {
    Network::Request r;
    r.kind = i == 3 ? Network::Kind::read : Network::Kind::write;
    r.from = {0}, r.to = {8};
    r.bytes = sizes[i];
    r.read_source = [] {};
    r.arrived = [&, i] { arrived.push_back(i); };
    r.completed = [&, i] { completed.push_back(i); };
    rig.network.send(pair, std::move(r));
  }
  rig.finish();
  CHECK(arrived == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(completed == arrived);
}
