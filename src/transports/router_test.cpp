#include "transports/router.hpp"

#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

GpuId same_number(PeId pe) { return GpuId{pe.value}; }

Platform two_domains() {
  Platform p = test::h200_node();
  p.name = "two-domains";
  p.nvlink_domain = 4;
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

TEST_CASE("no path is an error that names both ends and the platform") {
  EventQueue queue;
  Platform platform = two_domains();
  Router router(queue, platform, 8, same_number, nullptr);
  CHECK_THROWS_WITH(router.route(PeId{1}, PeId{6}),
                    Catch::Contains("PE 1 cannot reach PE 6") && Catch::Contains("GPU 6") && Catch::Contains("two-domains"));
}

TEST_CASE("adverse delivery wraps both paths") {
  EventQueue queue;
  Random random(1);
  Router router(queue, test::h200_node(), 8, same_number, &random);
  CHECK(dynamic_cast<AdverseDelivery*>(&router.route(PeId{0}, PeId{0})));
  CHECK(dynamic_cast<AdverseDelivery*>(&router.route(PeId{0}, PeId{1})));
  CHECK(router.adverse_delays() == 0);
}
