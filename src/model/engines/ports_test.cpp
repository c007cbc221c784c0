// Ports on paper: 50 B/ns, latency 1 us. A message of b bytes alone takes b / 50 + 1000 ns.
#include "model/engines/ports.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "base/random.hpp"
#include "model/engines/traffic.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

const Wiring kStar = Wiring::star(4, Rate::gb_per_s(50), 1_us);

struct Log final : FlowListener {
  void happened(FlowId flow, FlowEvent event, Time when) override {
    CHECK(when >= last);
    last = when;
    times[{flow, event}] = when;
    if (then) then(flow, event, when);
  }
  double ns(FlowId flow, FlowEvent event = FlowEvent::delivered) const { return times.at({flow, event}).ns(); }
  std::map<std::pair<FlowId, FlowEvent>, Time> times;
  std::function<void(FlowId, FlowEvent, Time)> then;
  Time last;
};

EngineOptions all_events(const std::string& kind) { return {kind, 4096, {true, true, true}}; }

}  // namespace

TEST_CASE("radix heap: leaves in order of time, equal times in order of arrival") {
  RadixHeap heap;
  Random random(3);
  std::vector<std::pair<uint64_t, uint64_t>> expected, got;
  uint64_t number = 0, now = 0;
  for (int round = 0; round < 2000; ++round) {
    for (uint64_t i = random.below(4); i > 0; --i) {
      uint64_t at = now + random.below(round % 2 ? 5 : 1'000'000);
      heap.push(at, number);
      expected.emplace_back(at, number++);
    }
    if (heap.empty()) continue;
    CHECK(heap.next_time() >= now);
    auto [ps, what] = heap.pop();
    now = ps;
    got.emplace_back(ps, what);
  }
  while (!heap.empty()) {
    auto [ps, what] = heap.pop();
    got.emplace_back(ps, what);
  }
  std::sort(expected.begin(), expected.end());
  CHECK(got == expected);
}

TEST_CASE("ports: a lone message cuts through, its events are told in order") {
  for (const char* kind : {"ports", "fifo"}) {
    Log log;
    auto engine = make_engine(kStar, log, all_events(kind));
    FlowId flow = engine->submit({0, 1, 50'000}, 100_ns);
    engine->advance(Time::max());
    CHECK(log.ns(flow, FlowEvent::accepted) == Approx(1100).margin(0.02));
    CHECK(log.ns(flow, FlowEvent::first_byte) == Approx(1100).margin(0.02));
    CHECK(log.ns(flow) == Approx(2100).margin(0.02));
    CHECK(log.ns(flow, FlowEvent::acknowledged) == log.ns(flow));  // a star answers at once
    CHECK(engine->active() == 0);
  }
}

TEST_CASE("ports: two equal messages to one target end together when served in turns, one after the other in fifo") {
  // 2 x 50,000 B at 50 B/ns: 2000 ns of the target's port; fifo: 1000 and 2000; turns: within one chunk (82 ns) of 2000
  Log turns, fifo;
  for (Log* log : {&turns, &fifo}) {
    auto engine = make_engine(kStar, *log, all_events(log == &turns ? "ports" : "fifo"));
    engine->submit({0, 2, 50'000}, {});
    engine->submit({1, 2, 50'000}, {});
    engine->advance(Time::max());
  }
  CHECK(fifo.ns(0) == Approx(2000).margin(0.1));
  CHECK(fifo.ns(1) == Approx(3000).margin(0.1));
  CHECK(turns.ns(0) == Approx(3000).margin(82));
  CHECK(turns.ns(1) == Approx(3000).margin(0.1));
}

TEST_CASE("ports: a short message is not held up by a long one before it") {
  // 4096 B wait for at most the chunk in service, then for one chunk of the other: 3 x 82 ns + 1000; fifo: after 1 MB
  Log turns, fifo;
  for (Log* log : {&turns, &fifo}) {
    auto engine = make_engine(kStar, *log, all_events(log == &turns ? "ports" : "fifo"));
    engine->submit({0, 1, 1'000'000}, {});
    engine->submit({0, 2, 4096}, 1_us);
    engine->advance(Time::max());
  }
  CHECK(turns.ns(1) <= 2000 + 3 * 82);
  CHECK(fifo.ns(1) == Approx(20'000 + 82 + 1000).margin(0.1));
}

TEST_CASE("ports: advance stops at its moment; a listener may send on") {
  for (const char* kind : {"ports", "fifo"}) {
    Log log;
    auto engine = make_engine(kStar, log, {kind, 4096, {}});
    std::vector<FlowId> sent{engine->submit({0, 1, 50'000}, {})};
    log.then = [&](FlowId, FlowEvent, Time when) {
      if (sent.size() < 3) sent.push_back(engine->submit({1, 0, 50'000}, when));
    };
    engine->advance(1999_ns);
    CHECK(log.times.empty());
    CHECK(engine->now() == 1999_ns);
    engine->advance(2_us);
    CHECK(sent.size() == 2);
    engine->advance(Time::max());
    CHECK(log.last.ns() == Approx(6000).margin(0.1));
    CHECK(engine->events() == 3);
  }
}

TEST_CASE("ports: no port carries more than its rate and every message arrives, whatever the sizes") {
  for (const char* kind : {"ports", "fifo"}) {
    Random random(8);
    std::vector<Flow> flows;
    for (int i = 0; i < 2000; ++i) {
      int from = static_cast<int>(random.below(4)), to = static_cast<int>(random.below(3));
      flows.push_back({from, to + (to >= from), 1 + random.below(50'000)});
    }
    TrafficResult r = run_traffic(kStar, flows, {kind, 4096, {}});
    CHECK(std::all_of(r.delivered.begin(), r.delivered.end(), [](Time t) { return t > 1_us; }));
    CHECK(r.last >= least_time(kStar, flows));
    CHECK(r.last.ns() <= 1.2 * least_time(kStar, flows).ns());
  }
}

TEST_CASE("ports: equal runs give equal times, to the picosecond") {
  auto flows = flows_of({.name = "random", .endpoints = 4, .bytes = 10'001, .each = 50, .seed = 4});
  for (const char* kind : {"ports", "fifo"})
    CHECK(run_traffic(kStar, flows, {kind, 4096, {}}).delivered ==
          run_traffic(kStar, flows, {kind, 4096, {}}).delivered);
}

TEST_CASE("engines and patterns that do not exist are refused with the known ones") {
  Log log;
  CHECK_THROWS_WITH(make_engine(kStar, log, {"ns3", 4096, {}}), Catch::Contains("known: ports, fifo, simgrid"));
  CHECK_THROWS_WITH(flows_of({.name = "ring", .endpoints = 4}), Catch::Contains("all-to-all, random, incast, shift"));
  CHECK_THROWS_WITH(flows_of({.name = "shift", .endpoints = 4, .each = 8}), Catch::Contains("ends at the sender"));
}
