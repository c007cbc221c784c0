// Shares on paper: a port of rate R with flows of caps c_i gives each min(c_i, L), where the level L uses R up.
#include "model/fair_links.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <vector>

#include "base/random.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

// Rates in bytes per ns, so that times are round: 1 GB/s.
Rate rate(double bytes_per_ns) { return Rate::gb_per_s(bytes_per_ns); }

struct Rig {
  EventQueue queue;
  FairLinks links{queue, 8};
  std::vector<Time> ends;
  size_t start_at(Time when, std::vector<int> ports, double port_rate, uint64_t bytes, double cap) {
    size_t number = ends.size();
    ends.push_back(Time::max());
    FairLinks::Request request;
    for (int p : ports) request.hops.push_back({.port = p, .rate = rate(port_rate), .window = 0, .stall = {}});
    request.bytes = bytes, request.cap = rate(cap);
    queue.at(when, Rank::agent, [this, number, r = std::make_shared<FairLinks::Request>(request)] {
      links.start(*r, [this, number] { ends[number] = queue.now(); });
    });
    return number;
  }
  void finish() {
    while (!queue.empty()) queue.run_next();
    CHECK(links.active() == 0);
  }
  double end_ns(size_t flow) const { return ends[flow].ns(); }
};

}  // namespace

TEST_CASE("fair links: a lone flow runs at the smaller of its cap and its ports") {
  Rig rig;
  auto capped = rig.start_at({}, {0}, 100, 1000, 10), free = rig.start_at({}, {1}, 100, 1000, 1000);
  rig.finish();
  CHECK(rig.end_ns(capped) == Approx(100).margin(0.01));
  CHECK(rig.end_ns(free) == Approx(10).margin(0.01));
}

TEST_CASE("fair links: equal flows share a port equally") {
  Rig rig;
  for (int i = 0; i < 4; ++i) rig.start_at({}, {0}, 100, 1000, 1000);
  rig.finish();
  for (size_t i = 0; i < 4; ++i) CHECK(rig.end_ns(i) == Approx(40).margin(0.01));
}

TEST_CASE("fair links: what a slow flow leaves goes to the others") {
  // R = 100, caps 10, 1000, 1000: 10, 45, 45
  Rig rig;
  auto slow = rig.start_at({}, {0}, 100, 100, 10);
  auto a = rig.start_at({}, {0}, 100, 450, 1000), b = rig.start_at({}, {0}, 100, 450, 1000);
  rig.finish();
  CHECK(rig.end_ns(slow) == Approx(10).margin(0.01));
  CHECK(rig.end_ns(a) == Approx(10).margin(0.01));
  CHECK(rig.end_ns(b) == Approx(10).margin(0.01));
}

TEST_CASE("fair links: who comes later takes its share from then on") {
  // 1000 B alone at 100 for 5 ns, then both at 50: the first ends after 5 + 500 / 50 = 15 ns; the second has then had
  // 500 B and gets the rest of 500 B at 100: 20 ns
  Rig rig;
  auto first = rig.start_at({}, {0}, 100, 1000, 1000), second = rig.start_at(5_ns, {0}, 100, 1000, 1000);
  rig.finish();
  CHECK(rig.end_ns(first) == Approx(15).margin(0.01));
  CHECK(rig.end_ns(second) == Approx(20).margin(0.01));
}

TEST_CASE("fair links: a flow through several ports is bound by the fullest") {
  // ports 0 and 1 of rate 100; port 1 carries three flows
  Rig rig;
  auto through = rig.start_at({}, {0, 1}, 100, 1000, 1000);
  rig.start_at({}, {1}, 100, 1000, 1000);
  rig.start_at({}, {1}, 100, 1000, 1000);
  rig.finish();
  CHECK(rig.end_ns(through) == Approx(30).margin(0.01));
}

TEST_CASE("fair links: opposite directions do not share") {
  Rig rig;
  auto there = rig.start_at({}, {0, 3}, 100, 1000, 1000), back = rig.start_at({}, {2, 1}, 100, 1000, 1000);
  rig.finish();
  CHECK(rig.end_ns(there) == Approx(10).margin(0.01));
  CHECK(rig.end_ns(back) == Approx(10).margin(0.01));
}

TEST_CASE("fair links: a full port with little in flight loses the stall of each window") {
  // window 100 B at 100 B/ns, then 1 ns of waiting: 100 B per 2 ns
  Rig rig;
  Time full, idle;
  rig.links.start({{{.port = 0, .rate = rate(100), .window = 100, .stall = 1_ns}}, 1000, rate(1000)},
                  [&] { full = rig.queue.now(); });
  rig.links.start({{{.port = 1, .rate = rate(100), .window = 100, .stall = 1_ns}}, 1000, rate(50)},
                  [&] { idle = rig.queue.now(); });
  rig.finish();
  CHECK(full.ns() == Approx(20).margin(0.01));
  CHECK(idle.ns() == Approx(20).margin(0.01));  // a port that is not full does not stall: 1000 B at the flow's own 50
}

TEST_CASE("fair links: no port ever carries more than its rate, and nothing is lost") {
  Rig rig;
  Random random(8);
  uint64_t bytes[4] = {};
  Time last;
  for (int i = 0; i < 500; ++i) {
    uint64_t size = 1 + random.below(10'000);
    int port = static_cast<int>(random.below(4));
    bytes[port] += size;
    rig.start_at(Time{static_cast<int64_t>(random.below(100'000))}, {port}, 100, size, 1 + static_cast<double>(random.below(200)));
  }
  rig.finish();
  for (Time t : rig.ends) CHECK(t < Time::max());
  for (Time t : rig.ends) last = std::max(last, t);
  for (uint64_t b : bytes) CHECK(last.ns() >= static_cast<double>(b) / 100);
}
