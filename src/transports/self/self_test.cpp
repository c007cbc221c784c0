#include <catch2/catch.hpp>

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

Moments post(EventQueue& queue, OpKind kind) {
  Router router(queue, test::h200_node(), 8, [](PeId pe) { return GpuId{pe.value}; }, nullptr);
  Transfer t;
  Op op;
  op.kind = kind;
  op.bytes = 4;
  t.pieces.push_back({op, {}});
  t.bytes = 4;
  Moments m(queue);
  router.route({0}, {0}).post(t, m);
  while (!queue.empty()) queue.run_next();
  return m;
}

}  // namespace

TEST_CASE("p to oneself: issue 0.027, visible and acknowledged 0.135 later") {
  EventQueue queue;
  Moments m = post(queue, OpKind::p);
  CHECK(m.issued_at == 0.027_us);
  CHECK(m.delivered_at == 0.162_us);
  CHECK(m.returned_at == 0.162_us);
}

TEST_CASE("a fetching atomic on oneself takes an L2 round trip of 0.251") {
  EventQueue queue;
  Moments m = post(queue, OpKind::fetch);
  CHECK(m.returned_at == 0.251_us);
  CHECK(m.delivered_at < m.returned_at);
}
