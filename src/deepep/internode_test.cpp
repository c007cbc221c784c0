#include <algorithm>

#include <catch2/catch.hpp>

#include "deepep/accounting.hpp"
#include "deepep/channels.hpp"
#include "deepep/report.hpp"
#include "deepep/run.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::deepep;

namespace {

const Platform& h800() {
  static const Platform p = load_platform(test::platform_folder(), "hgx-h800");
  return p;
}

Setup setup(int ep, int tokens = 1024) {
  Setup s;
  s.mode = Mode::high_throughput, s.ep = ep, s.tokens = tokens;
  fill_defaults(s, h800());
  return s;
}

Results predict(const Setup& s) {
  static const Costs c = load_costs(test::platform_folder() / "deepep" / "v1.yaml");
  return run(h800(), c, s);
}

}  // namespace

// A list of n tokens goes in ceil(n / chunk) writes when the sender is slower than its coordinator, never in fewer.
TEST_CASE("HT writes are at least the lists in chunks, and every token crosses once", "[deepep]") {
  Setup s = setup(32);
  Routing r = generate(s, 4);
  Channels channels(r, 32, 8, s.sms / 2);
  uint64_t least = 0, remote = 0;
  for (int rank = 0; rank < 32; ++rank)
    for (int c = 0; c < channels.count; ++c)
      for (int n = 0; n < 4; ++n)
        if (n != rank / 8) {
          auto size = channels.masks(rank, c, n).size();
          least +=
              (size + static_cast<uint64_t>(s.rdma_chunk_dispatch) - 1) / static_cast<uint64_t>(s.rdma_chunk_dispatch);
          remote += size;
        }
  Results out = predict(s);
  CHECK(out.ops[0].messages >= least);
  CHECK(out.ops[0].messages < least * 2);
  CHECK(out.ops[0].wire_bytes * 32 == Approx(static_cast<double>(remote) * 7408));
  CHECK(out.ops[1].wire_bytes * 32 == Approx(static_cast<double>(remote) * 14384));
}

TEST_CASE("EP16 on H800 is bound by NVLink, EP64 by the adapters", "[deepep]") {
  CHECK(summary_of(predict(setup(16)).ops[0]).bound.find("NVLink") != std::string::npos);
  CHECK(summary_of(predict(setup(64)).ops[0]).bound.find("adapters") != std::string::npos);
}

TEST_CASE("half the adapters cost HT nothing where NVLink binds and twice the time where they bind", "[deepep]") {
  Setup near = setup(16), far = setup(32, 2048);
  double near_base = summary_of(predict(near).ops[1]).kernel_us, far_base = summary_of(predict(far).ops[1]).kernel_us;
  near.nic_scale = far.nic_scale = 0.5;
  CHECK(summary_of(predict(near).ops[1]).kernel_us < near_base * 1.15);
  CHECK(summary_of(predict(far).ops[1]).kernel_us == Approx(2 * far_base).epsilon(0.12));
}

TEST_CASE("a small ring or chunk still delivers everything", "[deepep]") {
  Setup s = setup(16, 200);
  s.rdma_ring = 8, s.rdma_chunk_dispatch = s.rdma_chunk_combine = 4, s.nvl_ring = 16,
  s.nvl_chunk_dispatch = s.nvl_chunk_combine = 3;
  Results out = predict(s);  // asserts inside that all credits come back and all tokens are combined
  CHECK(summary_of(out.ops[0]).kernel_us > summary_of(predict(setup(16, 200)).ops[0]).kernel_us);
}

TEST_CASE("the CPU proxy and one queue pair per peer cost what the README's tables say", "[deepep]") {
  Setup now = setup(32, 4096), then = now;
  now.version = Version::newest;
  then.version = Version::feb25, then.rdma_chunk_dispatch = then.rdma_chunk_combine = 32;
  double dispatch = summary_of(predict(then).ops[0]).logical_gbps / summary_of(predict(now).ops[0]).logical_gbps;
  CHECK(dispatch == Approx(44.0 / 58).epsilon(0.10));
}
