#include <catch2/catch.hpp>

#include <memory>

#include "tests/unit_support.hpp"
#include "transports/router.hpp"

using namespace shmemu;

namespace {

struct Moments : TransferSink {
  EventQueue& queue;
  Time issued_at, delivered_at, returned_at;
  explicit Moments(EventQueue& q) : queue(q) {}
  void issued(Transfer&) override { issued_at = queue.now(); }
  void delivered(Transfer&) override { delivered_at = queue.now(); }
  void returned(Transfer&) override { returned_at = queue.now(); }
};

struct Rig {
  EventQueue queue;
  Router router{queue, test::h200_node(), 8, [](PeId pe) { return GpuId{pe.value}; }, nullptr};
  Transport& p2p = router.route({0}, {1});
  Transfer make(OpKind kind, uint64_t bytes, int from, int to, uint32_t threads = 1) {
    Transfer t;
    Op op;
    op.kind = kind;
    op.issuer = {from}, op.target = {to};
    op.bytes = bytes;
    op.scope = threads > 1 ? Scope::block : Scope::thread;
    t.pieces.push_back({op, {}});
    t.threads = threads, t.bytes = bytes;
    return t;
  }
  void finish() {
    while (!queue.empty()) queue.run_next();
  }
};

}  // namespace

TEST_CASE("p over NVLink: issue 0.027, visible and acknowledged 0.405 later") {
  Rig rig;
  Moments m(rig.queue);
  Transfer t = rig.make(OpKind::p, 4, 0, 1);
  rig.p2p.post(t, m);
  rig.finish();
  CHECK(m.issued_at == 0.027_us);
  CHECK(m.delivered_at == 0.432_us);
  CHECK(m.returned_at == 0.432_us);
}

TEST_CASE("an atomic without result is issued in 0.073") {
  Rig rig;
  Moments m(rig.queue);
  Transfer t = rig.make(OpKind::atomic, 8, 0, 1);
  rig.p2p.post(t, m);
  rig.finish();
  CHECK(m.issued_at == 0.073_us);
  CHECK(m.returned_at == 0.478_us);
}

TEST_CASE("a fetching atomic takes one round trip of 0.850 and acts half way") {
  Rig rig;
  Moments m(rig.queue);
  Transfer t = rig.make(OpKind::fetch, 8, 0, 1);
  rig.p2p.post(t, m);
  rig.finish();
  CHECK(m.delivered_at == 0.425_us);
  CHECK(m.returned_at == 0.850_us);
}

TEST_CASE("the signal of a put_signal leaves after the data is acknowledged and a system fence") {
  // signal 1.7677 visible = data + 0.405 acknowledged + 0.577 fence + 0.027 issue + 0.405 flight
  Rig rig;
  Moments plain(rig.queue), signalled(rig.queue);
  Transfer put = rig.make(OpKind::put, 8, 0, 1), both = rig.make(OpKind::put_signal, 8, 2, 3);
  rig.p2p.post(put, plain);
  rig.p2p.post(both, signalled);
  rig.finish();
  CHECK(signalled.issued_at == plain.issued_at + 0.405_us + 0.577_us + 0.027_us);
  CHECK(signalled.delivered_at == signalled.issued_at + 0.405_us);
}

TEST_CASE("puts into one GPU share its port") {
  // 64 blocks of 1024 threads from 7 GPUs, 4 MiB each, into GPU 7: 256 MiB at 384 GB/s take 699 µs whatever the threads
  // do; each alone would be done in 95 µs (256 trips of 0.370)
  Rig rig;
  std::vector<std::unique_ptr<Moments>> moments;
  std::vector<Transfer> all;
  for (int i = 0; i < 64; ++i) {
    {
    all.push_back(rig.make(OpKind::put, 4 << 20, i % 7, 7, 1024));
    all.back().sm = i / 7;  // each on an SM of its own
  }
    all.back().sm = i;
  }
  for (Transfer& t : all) {
    moments.push_back(std::make_unique<Moments>(rig.queue));
    rig.p2p.post(t, *moments.back());
  }
  rig.finish();
  Time last;
  for (auto& m : moments) last = std::max(last, m->delivered_at);
  CHECK(last.us() >= 699.05);
  CHECK(last.us() == Approx(699.05).epsilon(0.05));
}

TEST_CASE("both directions together take as long as one") {
  Rig rig;
  Moments there(rig.queue), back(rig.queue), alone(rig.queue);
  Transfer a = rig.make(OpKind::put, 1 << 20, 0, 1, 1024), b = rig.make(OpKind::put, 1 << 20, 1, 0, 1024);
  rig.p2p.post(a, there);
  rig.p2p.post(b, back);
  rig.finish();
  Time begin = rig.queue.now();
  Transfer c = rig.make(OpKind::put, 1 << 20, 0, 1, 1024);
  rig.p2p.post(c, alone);
  rig.finish();
  CHECK(there.delivered_at == back.delivered_at);
  CHECK(there.delivered_at == alone.delivered_at - begin);
}
