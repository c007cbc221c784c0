#include "transports/p2p/p2p.hpp"

#include <catch2/catch.hpp>

#include <memory>

#include "tests/unit_support.hpp"

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
  const GpuModel& gpu = test::h200_node().gpu;
  P2pTransport p2p{queue, gpu, 8, [](PeId pe) { return GpuId{pe.value}; }};
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

TEST_CASE("p over NVLink: issue 0.040, visible and acknowledged 0.405 later") {
  Rig rig;
  Moments m(rig.queue);
  Transfer t = rig.make(OpKind::p, 4, 0, 1);
  rig.p2p.post(t, m);
  rig.finish();
  CHECK(m.issued_at == 0.040_us);
  CHECK(m.delivered_at == 0.445_us);
  CHECK(m.returned_at == 0.445_us);
}

TEST_CASE("an atomic without result is issued in 0.084") {
  Rig rig;
  Moments m(rig.queue);
  Transfer t = rig.make(OpKind::atomic, 8, 0, 1);
  rig.p2p.post(t, m);
  rig.finish();
  CHECK(m.issued_at == 0.084_us);
  CHECK(m.returned_at == 0.489_us);
}

TEST_CASE("a fetching atomic takes one round trip of 0.862 and acts half way") {
  Rig rig;
  Moments m(rig.queue);
  Transfer t = rig.make(OpKind::fetch, 8, 0, 1);
  rig.p2p.post(t, m);
  rig.finish();
  CHECK(m.delivered_at == 0.431_us);
  CHECK(m.returned_at == 0.862_us);
}

TEST_CASE("the signal of a put_signal leaves after the data is acknowledged and a system fence") {
  // call 0.17 + one trip (0.0267 + 0.133) = 0.3297 issued data; + 0.405 ack + 0.588 fence + 0.040 = 1.3627 issued;
  // + 0.405 = 1.7677 visible
  Rig rig;
  Moments m(rig.queue);
  Transfer t = rig.make(OpKind::put_signal, 8, 0, 1);
  rig.p2p.post(t, m);
  rig.finish();
  CHECK(m.issued_at == 1.3627_us);
  CHECK(m.delivered_at == 1.7677_us);
}

TEST_CASE("puts into one GPU share its port") {
  // 4 blocks of 1024 threads from 4 GPUs, 4 MiB each, into GPU 7: 16 MiB at 384 GB/s take 43.69 µs, the link's time;
  // alone one of them is bound by its threads: 256 trips of 0.370 µs = 94.7 µs
  Rig rig;
  std::vector<std::unique_ptr<Moments>> moments;
  std::vector<Transfer> all;
  for (int i = 0; i < 4; ++i) all.push_back(rig.make(OpKind::put, 4 << 20, i, 7, 1024));
  for (Transfer& t : all) {
    moments.push_back(std::make_unique<Moments>(rig.queue));
    rig.p2p.post(t, *moments.back());
  }
  rig.finish();
  for (auto& m : moments) CHECK(m->issued_at >= Rate::gb_per_s(384).time_for(4 << 20));
  // 64 of them: 256 MiB take 699 µs whatever the threads do
  all.clear(), moments.clear();
  Time begin = rig.queue.now();
  for (int i = 0; i < 64; ++i) all.push_back(rig.make(OpKind::put, 4 << 20, i % 7, 7, 1024));
  for (Transfer& t : all) {
    moments.push_back(std::make_unique<Moments>(rig.queue));
    rig.p2p.post(t, *moments.back());
  }
  rig.finish();
  Time last;
  for (auto& m : moments) last = std::max(last, m->delivered_at - begin);
  CHECK(last.us() == Approx(699.05 + 0.405).epsilon(0.01));
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
