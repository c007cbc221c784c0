#include "transports/router.hpp"

#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

GpuId same_number(PeId pe) { return GpuId{pe.value}; }

Op op_to(OpKind kind, int from, int to) {
  Op op;
  op.kind = kind;
  op.issuer = {from}, op.target = {to};
  op.bytes = 8;
  return op;
}

template <class T>
bool goes_by(Router& router, const Op& op, bool from_host = false) {
  Transfer t;
  t.pieces.push_back({op, {}});
  t.from_host = from_host;
  return dynamic_cast<T*>(&router.route(t)) != nullptr;
}

NvshmemSettings with_ibgda() {
  NvshmemSettings s;
  s.ibgda = true;
  return s;
}

Platform two_domains() {
  Platform p = test::h200_node();
  p.name = "two-domains";
  p.nvlink_domain = 4;
  p.nic.reset();
  return p;
}

}  // namespace

TEST_CASE("a PE reaches itself by its own memory and peers by NVLink") {
  EventQueue queue;
  Platform platform = two_domains();
  Router router(queue, platform, 8, same_number, nullptr);
  Transport& self = router.route(PeId{2}, PeId{2});
  Transport& peer = router.route(PeId{2}, PeId{3});
  CHECK(&self != &peer);
  CHECK(&peer == &router.route(PeId{0}, PeId{1}));
  CHECK(router.load_store(PeId{0}, PeId{3}));
  CHECK_FALSE(router.load_store(PeId{3}, PeId{4}));
  CHECK(router.load_store(PeId{4}, PeId{4}));
}

TEST_CASE("between nodes the CPU proxy carries, or the GPU itself if IBGDA is on") {
  EventQueue queue;
  Router standard(queue, test::h200_node(), 16, same_number, nullptr);
  CHECK(goes_by<P2pTransport>(standard, op_to(OpKind::put, 0, 7)));
  CHECK(goes_by<Proxy>(standard, op_to(OpKind::put, 0, 8)));
  Router enabled(queue, test::h200_node(), 16, same_number, nullptr, 16, with_ibgda());
  CHECK(goes_by<Ibgda>(enabled, op_to(OpKind::put, 0, 8)));
  CHECK(goes_by<Proxy>(enabled, op_to(OpKind::put, 0, 8), true));  // hosts have no other way
}

TEST_CASE("a job with network paths sends atomics through the adapter, to neighbours and to itself too") {
  EventQueue queue;
  Router one(queue, test::h200_node(), 8, same_number, nullptr),
      two(queue, test::h200_node(), 16, same_number, nullptr);
  Op add = op_to(OpKind::signal, 0, 1), set = add;
  add.signal_op = 10, set.signal_op = 9;
  for (const Op& op : {op_to(OpKind::atomic, 0, 1), op_to(OpKind::fetch, 0, 1), add}) {
    CHECK(goes_by<P2pTransport>(one, op));
    CHECK(goes_by<Proxy>(two, op));
  }
  CHECK(goes_by<P2pTransport>(two, set));
  Op native = op_to(OpKind::atomic, 0, 1);  // through a pointer of nvshmem_ptr
  native.flags = Op::kNative;
  CHECK(goes_by<P2pTransport>(two, native));
  CHECK(goes_by<Proxy>(two, op_to(OpKind::fetch, 3, 3)));
  CHECK_FALSE(two.by_load_store(op_to(OpKind::atomic, 0, 1)));
  CHECK(two.by_load_store(op_to(OpKind::p, 0, 1)));
}

TEST_CASE("without load/store every PE is reached through the network") {
  EventQueue queue;
  NvshmemSettings settings;
  settings.disable_p2p = true;
  Router router(queue, test::h200_node(), 8, same_number, nullptr, 8, settings);
  CHECK(router.network_job());
  CHECK_FALSE(router.load_store(PeId{0}, PeId{1}));
  CHECK(goes_by<SelfTransport>(router, op_to(OpKind::put, 0, 0)));
  CHECK(goes_by<Proxy>(router, op_to(OpKind::put, 0, 1)));
  settings.remote = NvshmemSettings::Remote::none;
  Router none(queue, test::h200_node(), 8, same_number, nullptr, 8, settings);
  CHECK_THROWS_WITH(none.route(PeId{0}, PeId{1}), Catch::Contains("NVSHMEM_DISABLE_P2P forbids") &&
                                                      Catch::Contains("NVSHMEM_REMOTE_TRANSPORT is none"));
}

TEST_CASE("the router says why it takes a path") {
  EventQueue queue;
  auto text = [](Router& r) {
    std::string all;
    for (auto& line : r.explain()) all += line + "\n";
    return all;
  };
  Router one(queue, test::h200_node(), 8, same_number, nullptr),
      two(queue, test::h200_node(), 16, same_number, nullptr);
  Router enabled(queue, test::h200_node(), 16, same_number, nullptr, 16, with_ibgda());
  CHECK_THAT(text(one), Catch::Contains("over NVLink: they share one NVLink domain"));
  CHECK_THAT(text(two), Catch::Contains("a CPU proxy with ibrc") && Catch::Contains("NVSHMEM's default"));
  CHECK_THAT(text(enabled), Catch::Contains("NVSHMEM_IB_ENABLE_IBGDA is set; 2 queue pairs per PE, chosen by cta"));
}

TEST_CASE("no path is an error that names both ends and the platform") {
  EventQueue queue;
  Platform platform = two_domains();
  Router router(queue, platform, 8, same_number, nullptr);
  CHECK_THROWS_WITH(router.route(PeId{1}, PeId{6}), Catch::Contains("PE 1 cannot reach PE 6") &&
                                                        Catch::Contains("GPU 6") && Catch::Contains("two-domains") &&
                                                        Catch::Contains("names no network adapters"));
}

TEST_CASE("adverse delivery wraps both paths") {
  EventQueue queue;
  Random random(1);
  Router router(queue, test::h200_node(), 8, same_number, &random);
  CHECK(dynamic_cast<AdverseDelivery*>(&router.route(PeId{0}, PeId{0})));
  CHECK(dynamic_cast<AdverseDelivery*>(&router.route(PeId{0}, PeId{1})));
  CHECK(router.adverse_delays() == 0);
}
