#include <cmath>

#include <catch2/catch.hpp>

#include "deepep/low_latency.hpp"
#include "deepep/report.hpp"
#include "deepep/run.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::deepep;

namespace {

Costs plain_costs() {
  Costs c = load_costs(test::platform_folder() / "deepep" / "v1.yaml");
  c.ll.entry_spread = {};
  return c;
}

Setup setup(int ep, int tokens, int experts = 256) {
  Setup s;
  s.ep = ep, s.tokens = tokens, s.experts = experts, s.iterations = 1;
  fill_defaults(s, load_platform(test::platform_folder(), "hgx-h800"));
  return s;
}

}  // namespace

// entry + 3 (row, cast, slot) + 2 (copy, two trips of 4096 B) + 2 (release, count) steps, grid barrier, 2 (poll, range)
// + 4 (copy of one token: two trips and two more) steps. Counts of peers are there before the grid barrier ends.
TEST_CASE("a dispatch of one token inside a node is a sum of steps", "[deepep]") {
  Platform p = load_platform(test::platform_folder(), "hgx-h800");
  Costs c = plain_costs();
  Setup s = setup(8, 1);
  s.topk = 1;
  Routing r;
  r.experts = 256, r.topk = 1;
  for (int rank = 0; rank < 8; ++rank) r.picks.push_back({static_cast<int16_t>((rank + 1) % 8 * 32)});  // to the next
  Results out = LowLatency(p, c, s, r).run(nullptr);
  Time grid = p.gpu.grid_barrier + p.gpu.grid_barrier_per_cta * 128;
  for (const RankTimes& t : out.ops[0].samples) CHECK(t.kernel() == c.ll.kernel_entry + c.ll.step * 13 + grid);
}

// EP64, 256 experts, 128 tokens of top-8, nothing masked: k T (1 - 8/R) = 896 writes, E (1 - 8/R) = 224 counts, k T 7/R
// = 112 copies.
TEST_CASE("messages of an LL dispatch follow from the sizes", "[deepep]") {
  Platform p = load_platform(test::platform_folder(), "hgx-h800");
  Costs c = plain_costs();
  Setup s = setup(64, 128);
  Routing r;
  r.experts = 256, r.topk = 8;
  for (int rank = 0; rank < 64;
       ++rank) {  // expert 32 j + rank * 4 + token: one of every eighth rank, all equally often
    std::vector<int16_t> picks;
    for (int t = 0; t < 128; ++t)
      for (int j = 0; j < 8; ++j) picks.push_back(static_cast<int16_t>((32 * j + t + 4 * rank) % 256));
    r.picks.push_back(picks);
  }
  Results out = LowLatency(p, c, s, r).run(nullptr);
  CHECK(out.ops[0].messages == 896u * 64);
  CHECK(out.ops[0].atomics == 224u * 64);
  CHECK(out.ops[0].nvlink_copies == 112u * 64);
  CHECK(out.ops[0].logical_bytes == 128 * 8 * 7408.0);
  CHECK(out.ops[1].logical_bytes == 128 * 8 * 14336.0);
  CHECK(out.ops[0].wire_bytes == 896 * 7408.0);
}

TEST_CASE("no dispatch is faster than its wire", "[deepep]") {
  Platform p = load_platform(test::platform_folder(), "hgx-h800");
  Setup s = setup(32, 128);
  OpSummary d = summary_of(run(p, plain_costs(), s).ops[0]);
  double wire_us = 128 * 8 * 0.75 * 7408 / 48.4e3;
  CHECK(d.mean_us > wire_us);
  CHECK(d.mean_us < wire_us + 45);
}

TEST_CASE("half the adapters cost an LL dispatch the time of its bytes once more", "[deepep]") {
  Platform p = load_platform(test::platform_folder(), "hgx-h800");
  Setup s = setup(32, 128), shared = s, slow = s;
  shared.nics_per_node = 4;
  slow.nic_scale = 0.5;
  Costs c = plain_costs();
  double base = summary_of(run(p, c, s).ops[0]).mean_us, half = summary_of(run(p, c, shared).ops[0]).mean_us;
  double slower = summary_of(run(p, c, slow).ops[0]).mean_us;
  CHECK(half == Approx(base + 117).margin(12));
  CHECK(half == Approx(slower).epsilon(0.05));
}

TEST_CASE("a rank that comes late is waited for, and the time is called skew", "[deepep]") {
  Platform p = load_platform(test::platform_folder(), "hgx-h800");
  Setup s = setup(16, 128);
  s.arrivals_us.assign(16, 0);
  s.arrivals_us[5] = 500;
  OpSummary d = summary_of(run(p, plain_costs(), s).ops[0]);
  CHECK(d.per_rank_us[0] > 500);
  CHECK(d.per_rank_us[5] < 200);
  CHECK(d.skew_us == Approx(500.0 * 15 / 16).epsilon(0.01));
  CHECK(d.skew_us + d.issue_us + d.transfer_us + d.forward_us + d.receive_us == Approx(d.kernel_us));
}

TEST_CASE("one seed, one result", "[deepep]") {
  Platform p = load_platform(test::platform_folder(), "hgx-h800");
  Costs c = load_costs(test::platform_folder() / "deepep" / "v1.yaml");
  Setup s = setup(16, 64);
  auto once = run(p, c, s).ops[1].samples, twice = run(p, c, s).ops[1].samples;
  s.seed = 1;
  auto other = run(p, c, s).ops[1].samples;
  bool same = true, differs = false;
  for (size_t i = 0; i < once.size(); ++i) same &= once[i].end == twice[i].end, differs |= once[i].end != other[i].end;
  CHECK(same);
  CHECK(differs);
}

TEST_CASE("a hook splits an operation; the receiving kernel finds its data when it comes late enough", "[deepep]") {
  Platform p = load_platform(test::platform_folder(), "hgx-h800");
  Costs c = plain_costs();
  Setup s = setup(16, 128), late = s, early = s;
  late.hook_us = 500, early.hook_us = 0;
  double one = summary_of(run(p, c, s).ops[0]).mean_us;
  Results apart = run(p, c, late), close = run(p, c, early);
  REQUIRE(apart.ops.size() == 4);
  CHECK(apart.ops[0].name == "dispatch_send");
  CHECK(apart.ops[1].name == "dispatch_recv");
  CHECK(summary_of(apart.ops[0]).mean_us < one / 2);
  CHECK(summary_of(apart.ops[1]).mean_us < 15);
  double both = summary_of(close.ops[0]).mean_us + summary_of(close.ops[1]).mean_us;
  CHECK(both == Approx(one).epsilon(0.05));
}
