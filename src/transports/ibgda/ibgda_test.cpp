// Closed forms of GPU-driven adapters on two H200 nodes (docs/design/transports.md). Constants: platforms/nics.
#include "transports/ibgda/ibgda.hpp"

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

// PEs 0 and 1 on two nodes.
struct Rig {
  EventQueue queue;
  NvshmemSettings settings;
  std::unique_ptr<Router> router;
  Log log{queue};
  std::vector<std::unique_ptr<Transfer>> all;
  explicit Rig(int queues = 1, int pes = 2) {
    settings.ibgda = true;
    settings.queues_per_pe = queues;
    start(pes);
  }
  void start(int pes) {
    router = std::make_unique<Router>(
        queue, test::h200_node(), 8 * pes, [](PeId pe) { return GpuId{8 * pe.value}; }, nullptr, pes, settings);
  }
  // `lanes` pieces side by side at remote address 0, 4 B for scalars.
  Transfer& post(OpKind kind, uint64_t bytes, uint32_t lanes = 1, Scope scope = Scope::thread, uint32_t block = 0,
                 bool nbi = true, uint32_t qp = 0) {
    all.push_back(std::make_unique<Transfer>());
    Transfer& t = *all.back();
    for (uint32_t i = 0; i < lanes; ++i) {
      Op op;
      op.kind = kind, op.scope = scope, op.nbi = nbi, op.qp = qp;
      op.target = {1};
      op.bytes = bytes, op.remote = i * bytes;
      t.pieces.push_back({op, {}});
      t.bytes += bytes;
    }
    t.threads = scope == Scope::block ? 256 : lanes;
    t.block = block, t.sm = static_cast<int>(block);
    router->route(t).post(t, log);
    return t;
  }
  void finish() {
    while (!queue.empty()) queue.run_next();
  }
};

double us(Time t) { return t.us(); }
// Of a block-scoped call: itself and two barriers of 8 warps.
double group_call() {
  const GpuModel& gpu = test::h200_node().gpu;
  return (gpu.call_group + gpu.sync_per_warp * 16).us();
}
// On the wire: 46 B of headers per packet, at 48.95 GB/s; cut through, so two ports cost a little more than one.
constexpr double kSmall = 2 * 54 / 48.95e3;

}  // namespace

TEST_CASE("ibgda: one p is posted in 4.26, visible 2.40 after the doorbell, completed 0.90 later") {
  Rig rig;
  Transfer& t = rig.post(OpKind::p, 4);
  rig.finish();
  const Moments& m = rig.log.of[&t];
  CHECK(us(m.issued) == Approx(4.26));
  CHECK(us(m.delivered) == Approx(4.26 + 2.40).margin(kSmall));
  CHECK(us(m.returned) == Approx(4.26 + 3.30).margin(kSmall));
}

TEST_CASE("ibgda: a put reads its source 0.61 after the doorbell, not at the call") {
  Rig rig;
  Transfer& t = rig.post(OpKind::put, 256, 1, Scope::block);
  rig.finish();
  const Moments& m = rig.log.of[&t];
  double issue = group_call() + 4.26;
  CHECK(us(m.issued) == Approx(issue));
  CHECK(us(m.read) == Approx(issue + 0.61));
  CHECK(us(m.delivered) == Approx(issue + 0.61 + 2.40).margin(0.02));
}

TEST_CASE("ibgda: a blocking put returns when its completion has been polled") {
  Rig rig;
  Transfer& t = rig.post(OpKind::put, 8, 1, Scope::thread, 0, false);
  rig.finish();
  // thread-scoped call 1.05, post 4.26, payload 0.61, completion 3.30, poll 1.01
  CHECK(us(rig.log.of[&t].issued) == Approx(1.05 + 4.26 + 0.61 + 3.30 + 1.01).margin(kSmall));
}

TEST_CASE("ibgda: operations of one named queue pair arrive in order, those of two do not wait for each other") {
  for (uint32_t other : {Op::kFirstQp, Op::kFirstQp + 1}) {
    Rig rig;
    Transfer& data = rig.post(OpKind::put, 1 << 22, 1, Scope::block, 0, true, Op::kFirstQp);
    while (!rig.log.of.contains(&data)) rig.queue.run_next();  // until the call has returned
    Transfer& flag = rig.post(OpKind::signal, 8, 1, Scope::thread, 0, true, other);
    rig.finish();
    bool in_order = rig.log.of[&data].delivered < rig.log.of[&flag].delivered;
    CHECK(in_order == (other == Op::kFirstQp));
  }
}

TEST_CASE("ibgda: 32 blocks hand off one after the other on a shared queue pair: 31 x 0.118") {
  double lone = group_call() + 4.26;
  for (int queues : {1, 2, 8, 32}) {
    Rig rig(queues);
    Time last;
    for (uint32_t block = 0; block < 32; ++block) rig.post(OpKind::put, 8, 1, Scope::block, block);
    rig.finish();
    for (auto& [t, m] : rig.log.of) last = std::max(last, m.issued);
    CHECK(us(last) == Approx(lone + (32 / queues - 1) * 0.118));
  }
}

TEST_CASE("ibgda: lanes that cannot merge post one by one, a full warp side by side is one inline request") {
  Rig rig;
  Transfer& half = rig.post(OpKind::p, 4, 16);
  rig.finish();
  CHECK(us(rig.log.of[&half].issued) == Approx(4.26 + 15 * 0.118));
  Rig fresh;
  Transfer& full = fresh.post(OpKind::p, 4, 32);
  fresh.finish();
  CHECK(us(fresh.log.of[&full].issued) == Approx(4.26 + 0.5 + 128 * 0.0063));
}

TEST_CASE("ibgda: merged posts of one SM follow each other at 0.44, of several SMs at 0.0945") {
  for (bool one_sm : {true, false}) {
    Rig rig;
    Time last;
    for (uint32_t warp = 0; warp < 8; ++warp) rig.post(OpKind::p, 4, 32, Scope::thread, one_sm ? 0 : warp);
    rig.finish();
    for (auto& [t, m] : rig.log.of) last = std::max(last, m.issued);
    CHECK(us(last) == Approx(4.26 + 0.5 + 128 * 0.0063 + 7 * (one_sm ? 0.44 : 0.0945)));
  }
}

TEST_CASE("ibgda: g pays post, payload, completion, poll, and 1.62 for each fenced pair of its lanes") {
  for (uint32_t lanes : {1u, 4u, 32u}) {
    Rig rig;
    Transfer& t = rig.post(OpKind::g, 4, lanes, Scope::thread, 0, false);
    rig.finish();
    uint32_t pairs = lanes == 32 ? 1 : lanes;  // a full warp side by side is one read
    CHECK(us(rig.log.of[&t].returned) ==
          Approx(4.26 + (pairs - 1) * 0.118 + 0.61 + 3.30 + 1.01 + pairs * 1.62).margin(0.02));
  }
}

TEST_CASE("ibgda: a get that does not block returns when posted, its bytes come later") {
  Rig rig;
  Transfer& nbi = rig.post(OpKind::get, 8);
  rig.finish();
  const Moments& m = rig.log.of[&nbi];
  CHECK(us(m.issued) == Approx(1.05 + 4.26));
  CHECK(m.delivered > m.issued);
  CHECK(us(m.returned - m.issued) == Approx(0.61 + 3.30).margin(0.02));
}

TEST_CASE("ibgda: the wire carries 4096 of 4142 B of the line rate") {
  Rig rig;
  Transfer& t = rig.post(OpKind::put, 32 << 20, 1, Scope::block);
  rig.finish();
  const Moments& m = rig.log.of[&t];
  double rate = (32 << 20) / (us(m.delivered - m.read) - 2.40) * 1e-3;
  CHECK(rate == Approx(48.95 * 4096 / 4142).epsilon(0.001));  // 48.4 GB/s
}

TEST_CASE("ibgda: one queue pair keeps the order, two do not") {
  for (bool same : {true, false}) {
    Rig rig(2);
    Transfer& large = rig.post(OpKind::put, 1 << 20, 1, Scope::block, 0);
    Transfer* small = nullptr;
    rig.queue.at(5_us, Rank::agent, [&] { small = &rig.post(OpKind::p, 4, 1, Scope::thread, same ? 2 : 1); });
    rig.finish();
    CHECK((rig.log.of[small].delivered >= rig.log.of[&large].delivered) == same);
  }
}

TEST_CASE("ibgda: a signal that follows a put on its queue pair arrives after it, 2.10 later") {
  Rig rig;
  Transfer& t = rig.post(OpKind::put_signal, 8);
  rig.finish();
  CHECK(us(rig.log.of[&t].delivered) == Approx(1.05 + 4.26 + 0.61 + 2.40 + 2.10).margin(0.02));
}

TEST_CASE("ibgda: a put of nothing sends nothing, a put of nothing with signal sends the signal") {
  Rig rig;
  Transfer& put = rig.post(OpKind::put, 0, 1, Scope::block);
  rig.finish();
  CHECK(us(rig.log.of[&put].returned) == Approx(group_call() + 0.63));
  Rig fresh;
  Transfer& signal = fresh.post(OpKind::put_signal, 0, 1, Scope::block);
  fresh.finish();
  CHECK(us(fresh.log.of[&signal].delivered) > 4.26 + 2.40 + 2.10);
}

TEST_CASE("ibgda: 64 queue pairs together take 260 requests per us, one takes 25") {
  for (int queues : {1, 64}) {
    Rig rig(queues);
    for (uint32_t block = 0; block < 64; ++block) rig.post(OpKind::atomic, 8, 32, Scope::thread, block);
    rig.finish();
    Time first = Time::max(), last;
    for (auto& [t, m] : rig.log.of) first = std::min(first, m.delivered), last = std::max(last, m.delivered);
    // after the first warp's 32 requests 63 x 32 more; hand-off (0.118 each) is what limits one queue pair
    double expected = queues == 1 ? 63 * 32 * 0.118 : 63 * 32 * 0.003846;
    CHECK(us(last - first) == Approx(expected).epsilon(0.02));
  }
}

TEST_CASE("ibgda: a full ring makes posters wait for completions") {
  for (int depth : {1024, 128}) {
    Rig rig;
    rig.settings.queue_depth = depth;
    rig.start(2);
    for (uint32_t i = 0; i < 200; ++i) rig.post(OpKind::put, 1 << 20, 1, Scope::block, i);
    rig.finish();
    Time last;
    for (auto& [t, m] : rig.log.of) last = std::max(last, m.issued);
    double all_posted = group_call() + 4.26 + 199 * 0.118;
    double a_put = (1 << 20) / 48.4e3;  // the 200th waits for the 72nd
    CHECK(us(last) == Approx(depth == 1024 ? all_posted : 72 * a_put).epsilon(0.2));
  }
}

TEST_CASE("ibgda: quiet looks at every queue pair of the PE: 0.54 for each more") {
  for (int pes : {2, 16})
    for (int queues : {1, 2}) {
      Rig rig(queues, pes);
      Ordering o = rig.router->order(PeId{0}, OpKind::quiet);
      CHECK(o.waits);
      CHECK(us(o.cost) == Approx(test::h200_node().gpu.fence_system.us() + 1.01 + ((pes - 1) * queues - 1) * 0.54));
    }
}
