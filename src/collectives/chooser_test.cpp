#include "collectives/chooser.hpp"

#include <catch2/catch.hpp>

#include <map>

#include "base/errors.hpp"

using namespace shmemu;

namespace {

Situation of(Collective collective, uint64_t count, uint64_t element = 4, int pes = 8, Scope scope = Scope::block) {
  Situation s;
  s.collective = collective;
  s.count = count, s.element_bytes = element;
  s.pes = pes;
  s.scope = scope;
  return s;
}

Algorithm chosen(const Situation& s, const CollectiveSettings& settings = {}) { return choose(s, settings).algorithm; }

CollectiveSettings with(std::map<std::string, std::string> variables) {
  return read_collective_settings([&](const char* name) -> const char* {
    auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

}  // namespace

TEST_CASE("chooser: one round of all-to-all only for blocks on 2, 4, 8, 16 or 32 PEs over NVLink") {
  for (int n = 1; n <= 72; ++n) {
    bool full = n == 2 || n == 4 || n == 8 || n == 16 || n == 32;
    INFO(n << " PEs");
    CHECK((chosen(of(Collective::sync, 0, 1, n)) == Algorithm::sync_full) == full);
    CHECK(chosen(of(Collective::sync, 0, 1, n, Scope::warp)) == Algorithm::sync_dissemination);
    Situation network = of(Collective::sync, 0, 1, n);
    network.all_load_store = false;
    CHECK(chosen(network) == Algorithm::sync_dissemination);
  }
}

TEST_CASE("chooser: broadcast packs even numbers of words up to 16 KiB, in two levels above 32 PEs") {
  CHECK(chosen(of(Collective::broadcast, 4096)) == Algorithm::broadcast_tree);
  CHECK(chosen(of(Collective::broadcast, 4096, 4, 64)) == Algorithm::broadcast_tree_2d);
  CHECK(chosen(of(Collective::broadcast, 4098)) == Algorithm::broadcast_flat);
  CHECK(chosen(of(Collective::broadcast, 3)) == Algorithm::broadcast_flat);
  CHECK(chosen(of(Collective::broadcast, 64, 2)) == Algorithm::broadcast_flat);
  auto forced = [](const char* value) { return with({{"NVSHMEM_BCAST_ALGO", value}}); };
  CHECK(chosen(of(Collective::broadcast, 64), forced("1")) == Algorithm::broadcast_put);
  CHECK(chosen(of(Collective::broadcast, 64), forced("4")) == Algorithm::broadcast_flat);
  CHECK(chosen(of(Collective::broadcast, 3), forced("3")) == Algorithm::broadcast_put);
  CHECK(chosen(of(Collective::broadcast, 276480), forced("3")) == Algorithm::broadcast_tree);  // the ring exactly
  CHECK(chosen(of(Collective::broadcast, 276482), forced("3")) == Algorithm::broadcast_put);
}

TEST_CASE("chooser: fcollect packs what can be packed below its thresholds") {
  CHECK(chosen(of(Collective::fcollect, 512)) == Algorithm::fcollect_ll);
  CHECK(chosen(of(Collective::fcollect, 514)) == Algorithm::fcollect_put);
  CHECK(chosen(of(Collective::fcollect, 511)) == Algorithm::fcollect_put);
  CHECK(chosen(of(Collective::fcollect, 4, 2)) == Algorithm::fcollect_ll);
  CHECK(chosen(of(Collective::fcollect, 4, 2, 7)) == Algorithm::fcollect_put);
  CHECK(chosen(of(Collective::fcollect, 512, 4, 8, Scope::thread)) == Algorithm::fcollect_put);
  CollectiveSettings ll128 = with({{"NVSHMEM_FCOLLECT_LL128_THRESHOLD", "64k"}});
  CHECK(chosen(of(Collective::fcollect, 514), ll128) == Algorithm::fcollect_ll128);
  CHECK(chosen(of(Collective::fcollect, 16384), ll128) == Algorithm::fcollect_put);  // below, not at
  CHECK(chosen(of(Collective::fcollect, 16382), ll128) == Algorithm::fcollect_ll128);
  CHECK(chosen(of(Collective::fcollect, 512), with({{"NVSHMEM_FCOLLECT_ALGO", "2"}})) == Algorithm::fcollect_put);
}

// elements <= 32768 / (1 + 3 P): 2 PEs 8192, 4 PEs 4681, 8 PEs 3276, 16 PEs 2520
TEST_CASE("chooser: reduce goes from hierarchical to recursive exchange to segments") {
  CHECK(chosen(of(Collective::reduce, 512)) == Algorithm::reduce_hierarchical);
  CHECK(chosen(of(Collective::reduce, 514)) == Algorithm::reduce_exchange);
  CHECK(chosen(of(Collective::reduce, 511)) == Algorithm::reduce_exchange);
  for (auto [pes, most] : {std::pair{2, 8192}, {4, 4681}, {8, 3276}, {16, 2520}}) {
    INFO(pes << " PEs");
    CHECK(chosen(of(Collective::reduce, static_cast<uint64_t>(most), 4, pes, Scope::warp)) ==
          Algorithm::reduce_exchange);
    CHECK(chosen(of(Collective::reduce, static_cast<uint64_t>(most) + 1, 4, pes, Scope::warp)) ==
          Algorithm::reduce_segmented);
  }
  Situation split = of(Collective::reduce, 4);
  split.world = false;
  CHECK(chosen(split) == Algorithm::reduce_segmented);
  CHECK(chosen(of(Collective::reduce, 3277), with({{"NVSHMEM_REDUCE_SCRATCH_SIZE", "1M"}})) ==
        Algorithm::reduce_exchange);
}

TEST_CASE("chooser: NVLS takes sums of floats where there is multicast") {
  Situation s = of(Collective::reduce, 2048);
  s.nvls = s.floating = true;
  CHECK(chosen(s) == Algorithm::reduce_nvls_one_shot);
  s.count = 2049;
  CHECK(chosen(s) == Algorithm::reduce_nvls_two_shot);
  s.count = 64, s.in_place = true;
  CHECK(chosen(s) == Algorithm::reduce_nvls_two_shot);
  s.sum = false;
  CHECK(chosen(s) == Algorithm::reduce_hierarchical);
}

TEST_CASE("chooser: alltoall signals where a NIC is in the way") {
  Situation s = of(Collective::alltoall, 4);
  CHECK(chosen(s) == Algorithm::alltoall_put);
  s.all_load_store = false;
  CHECK(chosen(s) == Algorithm::alltoall_signal);
}

TEST_CASE("chooser: the path names the values that decided") {
  Choice c = choose(of(Collective::fcollect, 514), {}, true);
  REQUIRE(c.path.size() >= 2);
  bool named = false;
  for (auto& line : c.path) named |= line == "2056 B <= NVSHMEM_FCOLLECT_LL_THRESHOLD 2048: no";
  CHECK(named);
  CHECK(c.path.back() == "→ put");
}

TEST_CASE("settings: a value that is no number is refused with its name") {
  for (const char* text : {"many", "-1", "7x", ""}) {
    INFO(text);
    try {
      with({{"NVSHMEM_BCAST_ALGO", text}});
      CHECK(false);
    } catch (const UserError& e) {
      CHECK(std::string(e.what()).find("NVSHMEM_BCAST_ALGO") != std::string::npos);
    }
  }
  CHECK(with({{"NVSHMEM_REDUCE_SCRATCH_SIZE", "1.5m"}}).reduce_scratch == 1'572'864);
}
