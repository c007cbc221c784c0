#include "model/placement.hpp"

#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;

TEST_CASE("PEs take as few nodes as share them evenly") {
  const Platform& p = test::h200_node();  // 512 nodes of 8
  CHECK(place(p, 2).nodes == 1);
  CHECK(place(p, 2).gpus() == 8);
  CHECK(place(p, 16).nodes == 2);
  CHECK(place(p, 16).gpu_of(PeId{9}) == GpuId{9});
  CHECK(place(p, 12).nodes == 2);
  CHECK(place(p, 12).node_of(PeId{6}) == 1);
  CHECK(place(p, 12).gpu_of(PeId{6}) == GpuId{8});
  CHECK(place(p, 9).pes_per_node == 3);
  CHECK(place(p, 4096).nodes == 512);
}

TEST_CASE("the number of PEs per node can be given") {
  Placement two = place(test::h200_node(), 2, 1);
  CHECK(two.nodes == 2);
  CHECK(two.gpu_of(PeId{1}) == GpuId{8});
  CHECK_THROWS_WITH(place(test::h200_node(), 16, 9), Catch::Contains("a node of platform 'hgx-h200' has 8 GPUs"));
  CHECK_THROWS_WITH(place(test::h200_node(), 5, 2), Catch::Contains("as many PEs on every node"));
  Placement uneven = place(test::h200_node(), 5, 2, true);
  CHECK(uneven.nodes == 3);
  CHECK(uneven.gpu_of(PeId{4}) == GpuId{16});
  CHECK_THROWS_WITH(place(test::h200_node(), 1024, 1), Catch::Contains("need 1024 nodes, platform 'hgx-h200' has 512"));
}

TEST_CASE("too many PEs are refused with the reason") {
  CHECK_THROWS_WITH(place(test::h200_node(), 4097), Catch::Contains("has 4096 GPUs, the run asks for 4097 PEs"));
  CHECK_THROWS_WITH(place(test::h200_node(), 521), Catch::Contains("cannot be spread evenly"));  // a prime
  Platform flat = load_platform(test::platform_folder(), "nvlink-flat");
  CHECK(place(flat, 521).gpus() == 521);
  CHECK_THROWS_AS(place(flat, 16, 8), UserError);
}
