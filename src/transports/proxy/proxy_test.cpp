// Closed forms of the CPU proxy on two H200 nodes (docs/design/transports.md). Constants: host and adapter files.
#include "transports/proxy/proxy.hpp"

#include <catch2/catch.hpp>

#include <memory>

#include "tests/unit_support.hpp"
#include "transports/router.hpp"

using namespace shmemu;

namespace {

struct Moments {
  Time issued, read, delivered, returned;
};

struct Log : TransferSink {
  EventQueue& queue;
  std::map<const Transfer*, Moments> of;
  explicit Log(EventQueue& q) : queue(q) {}
  void issued(Transfer& t) override { of[&t].issued = queue.now(); }
  void source_read(Transfer& t) override { of[&t].read = queue.now(); }
  void delivered(Transfer& t) override { of[&t].delivered = queue.now(); }
  void returned(Transfer& t) override { of[&t].returned = queue.now(); }
};

struct Rig {
  EventQueue queue;
  Log log{queue};
  std::vector<std::unique_ptr<Transfer>> all;
  Router router{queue, test::h200_node(), 16, [](PeId pe) { return GpuId{8 * pe.value}; }, nullptr, 2};
  Transfer& post(OpKind kind, uint64_t bytes, bool nbi = true, uint8_t function = 0) {
    all.push_back(std::make_unique<Transfer>());
    Transfer& t = *all.back();
    Op op;
    op.kind = kind, op.nbi = nbi, op.function = function, op.signal_op = 9;
    op.target = {1};
    op.bytes = bytes;
    t.pieces.push_back({op, {}});
    t.bytes = bytes;
    router.route(t).post(t, log);
    return t;
  }
  void finish() {
    while (!queue.empty()) queue.run_next();
  }
};

double us(Time t) { return t.us(); }
// Ring 0.99, pick-up 3.20, the CPU's 0.60, flight 2.40.
constexpr double kEnqueue = 0.99, kCpu = 3.20 + 0.60, kFlight = 2.40;

}  // namespace

TEST_CASE("proxy: a signal costs its thread 0.99 and is visible after ring, CPU and flight") {
  Rig rig;
  Transfer& t = rig.post(OpKind::signal, 0);
  rig.finish();
  CHECK(us(rig.log.of[&t].issued) == Approx(kEnqueue));
  CHECK(us(rig.log.of[&t].delivered) == Approx(kEnqueue + kCpu + kFlight).margin(0.01));
}

TEST_CASE("proxy: requests of one PE are handled one after the other, 0.60 each") {
  Rig rig;
  std::vector<Transfer*> ops;
  for (int i = 0; i < 10; ++i) ops.push_back(&rig.post(OpKind::p, 4));
  rig.finish();
  for (int i = 0; i < 10; ++i)
    CHECK(us(rig.log.of[ops[static_cast<size_t>(i)]].delivered) ==
          Approx(kEnqueue + kCpu + kFlight + i * 0.60).margin(0.01));
}

TEST_CASE("proxy: a fence asks nothing of the CPU, but pushes out what was written to the ring; an idle quiet") {
  Rig rig;
  Ordering idle = rig.router.order(PeId{0}, OpKind::fence), quiet = rig.router.order(PeId{0}, OpKind::quiet);
  double system = us(test::h200_node().gpu.fence_system);
  CHECK_FALSE(idle.waits);
  CHECK(us(idle.cost) == Approx(system));
  CHECK(quiet.waits);
  CHECK(us(quiet.least) == Approx(system + 0.72));
  rig.post(OpKind::put, 8);
  double at_once = 0, later = 0;
  rig.queue.at(Time::from_us(kEnqueue), Rank::agent,
               [&] { at_once = us(rig.router.order(PeId{0}, OpKind::fence).cost); });
  rig.queue.at(Time::from_us(kEnqueue + 1), Rank::agent,
               [&] { later = us(rig.router.order(PeId{0}, OpKind::fence).cost); });
  rig.finish();
  CHECK(at_once == Approx(system + 1.73));
  CHECK(later == Approx(system + 0.73));
  CHECK(us(rig.router.order(PeId{0}, OpKind::fence).cost) == Approx(system));
}

TEST_CASE("proxy: put, fence, signal: data up to 32 KiB hides behind the fence and the way of the signal") {
  for (uint64_t bytes : {8u, 1024u, 32768u, 262144u}) {
    Rig rig;
    rig.post(OpKind::put, bytes);
    Transfer* signal = nullptr;
    rig.queue.at(Time::from_us(0.99), Rank::agent, [&] {
      Time fence = rig.router.order(PeId{0}, OpKind::fence).cost;
      rig.queue.at(rig.queue.now() + fence, Rank::agent, [&] { signal = &rig.post(OpKind::signal, 0); });
    });
    rig.finish();
    double sent = kEnqueue + 0.577 + 1.73 + kEnqueue + kCpu;
    double wire = kEnqueue + kCpu + 2.9 + static_cast<double>(bytes) / 48.4e3;  // the put's last byte leaves
    CHECK(us(rig.log.of[signal].delivered) ==
          Approx((bytes <= 128 ? sent : std::max(sent, wire)) + kFlight).margin(0.03));
  }
}

TEST_CASE("proxy: a blocking put returns when the CPU has seen its completion") {
  Rig rig;
  Transfer& t = rig.post(OpKind::put, 8, false);
  rig.finish();
  CHECK(us(rig.log.of[&t].issued) == Approx(kEnqueue + kCpu + 3.30 + 0.31).margin(0.01));
}

TEST_CASE("proxy: the adapter adds 8 B words itself, other atomics are applied by the target's CPU") {
  Rig rig;
  Transfer& add = rig.post(OpKind::atomic, 8, true, 1);
  rig.finish();
  CHECK(us(rig.log.of[&add].delivered) == Approx(kEnqueue + kCpu + kFlight + 2.10).margin(0.01));
  Rig fresh;
  Transfer& swap = fresh.post(OpKind::fetch, 8, false, 5);
  fresh.finish();
  CHECK(us(fresh.log.of[&swap].delivered) == Approx(kEnqueue + kCpu + kFlight + kCpu).margin(0.01));
  CHECK(us(fresh.log.of[&swap].returned) == Approx(kEnqueue + kCpu + kFlight + kCpu + 3.30).margin(0.01));
}
