#include "model/fabric.hpp"

#include <catch2/catch.hpp>

#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

Platform small(FabricModel::Kind kind, int leaf_ports, double oversubscription) {
  Platform p = load_platform(test::platform_folder(), "hgx-h200");
  p.fabric.kind = kind;
  p.fabric.leaf_ports = leaf_ports;
  p.fabric.oversubscription = oversubscription;
  return p;
}

}  // namespace

TEST_CASE("on rails an adapter meets those of its number in nearby nodes at one switch") {
  Fabric f(small(FabricModel::Kind::rail, 2, 1), 4 * 8);  // 4 nodes, groups of 2
  CHECK(f.leaves() == 16);
  CHECK(f.switches_between({3}, {3}) == 0);
  CHECK(f.switches_between({3}, {8 + 3}) == 1);      // same rail, same group
  CHECK(f.switches_between({3}, {8 + 4}) == 3);      // another rail
  CHECK(f.switches_between({3}, {2 * 8 + 3}) == 3);  // same rail, another group
}

TEST_CASE("in a plain fat tree the leaf has the adapters of whole nodes") {
  Fabric f(small(FabricModel::Kind::fat_tree, 16, 1), 4 * 8);
  CHECK(f.leaves() == 2);
  CHECK(f.switches_between({3}, {8 + 4}) == 1);
  CHECK(f.switches_between({3}, {2 * 8 + 3}) == 3);
}

TEST_CASE("oversubscription divides uplinks and bisection") {
  Fabric full(small(FabricModel::Kind::fat_tree, 16, 1), 32), half(small(FabricModel::Kind::fat_tree, 16, 2), 32);
  // 16 adapters of 48.95 GB/s below a leaf
  CHECK(full.uplink().bytes_per_second == Approx(16 * 48.95e9));
  CHECK(half.uplink().bytes_per_second == Approx(8 * 48.95e9));
  CHECK(half.bisection().bytes_per_second == Approx(full.bisection().bytes_per_second / 2));
}
