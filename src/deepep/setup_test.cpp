#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "deepep/setup.hpp"
#include "deepep/sizes.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::deepep;
using Catch::Matchers::Contains;

namespace {

void refuses(Setup s, const std::string& reason, const std::string& platform = "hgx-h800") {
  Platform p = load_platform(test::platform_folder(), platform);
  fill_defaults(s, p);
  CHECK_THROWS_WITH(check(s, p), Contains(reason));
}

}  // namespace

TEST_CASE("sizes are those of the source", "[deepep]") {
  Setup s;
  CHECK(ll_dispatch_message(s) == 7408);
  CHECK(ll_combine_message(s) == 14336);
  CHECK(ll_buffer(s) / 1000000 == 1908);
  s.combine = Combine::logfmt;
  CHECK(ll_combine_message(s) == 9184);
  s.dispatch = Dispatch::bf16;
  CHECK(ll_dispatch_message(s) == 14352);
  s = {};
  s.mode = Mode::high_throughput;
  CHECK(ht_dispatch_record(s) == 7408);
  CHECK(ht_combine_record(s) == 14384);
  CHECK(counted_dispatch(s) == 7392);
  CHECK(dispatch_trips(s) == 8);
  CHECK(combine_trips(s) == 8);
  s.sms = 20;
  CHECK(ht_rdma_buffer(s, 2) / 1000000 == 83);  // the hint says 84 MB, and 336 at 8 nodes
  CHECK(ht_rdma_buffer(s, 8) / 1000000 == 335);
}

TEST_CASE("what the library refuses is refused before the run, with the reason", "[deepep]") {
  Setup s;
  s.experts = 100;
  refuses(s, "multiple of the 8 ranks");
  s = {}, s.hidden = 7000;
  refuses(s, "multiple of 512");
  s = {}, s.hidden = 6656;
  refuses(s, "exist for 2048");
  s = {}, s.topk = 12;
  refuses(s, "at most 11");
  s = {}, s.tokens = 4096;
  refuses(s, "--mode ht");
  s = {}, s.ep = 12, s.experts = 288;
  refuses(s, "must be full");
  s = {}, s.nic_scale = 1e-9;
  refuses(s, "--nic-scale 1e-09: must lie between");
  s = {}, s.skew_us = -1;
  refuses(s, "--skew -1: must lie between");
  s = {}, s.mode = Mode::high_throughput, s.sms = 1000;
  refuses(s, "a H800 has 132");
  s = {}, s.mode = Mode::high_throughput, s.ep = 64;
  refuses(s, "2, 4 and 8 ranks", "nvlink-flat");
  s = {}, s.experts = 65536;
  refuses(s, "at most 32767");
  s = {}, s.nics_per_node = 3;
  refuses(s, "must divide");
  s = {}, s.mode = Mode::high_throughput, s.ep = 256;
  refuses(s, "160 ranks");
  s = {}, s.mode = Mode::high_throughput, s.sms = 23;
  refuses(s, "even");
  s = {}, s.mode = Mode::high_throughput, s.ep = 16, s.rdma_chunk_dispatch = 100;
  refuses(s, "half of the ring");
  s = {}, s.mode = Mode::high_throughput, s.ep = 64, s.nvl_ring = 64;
  refuses(s, "share of the NVLink ring");
  s = {}, s.mode = Mode::high_throughput, s.ep = 128, s.rdma_ring = 512;
  refuses(s, "the library stops at 2 GiB");
  s = {}, s.version = Version::gin, s.ep = 16;
  refuses(s, "no low-latency mode");
  s = {}, s.ep = 2048, s.experts = 2048;
  refuses(s, "has 128");
  s = {}, s.arrivals_us = {1, 2};
  refuses(s, "2 start times for 8 ranks");
}
