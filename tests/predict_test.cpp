// `shmemu predict` runs the algorithms of a program without the program: the times must be the same to the picosecond.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "harness.hpp"

using namespace shmemu::test;
using nlohmann::json;

namespace {

// From the start of the first of the three kernels until the end of the last, over all PEs, in ps.
int64_t ran(const std::string& kind, const std::string& count, int pes) {
  auto timeline = scratch("collectives.timeline");
  Result r = run_program("programs/collectives_timed",
                         {"-q", "-n", std::to_string(pes), "--timeline", timeline.string()}, {kind, count});
  INFO(show(r));
  REQUIRE(r.code == 0);
  int64_t from = INT64_MAX, to = 0;
  int kernels = 0;
  for (const std::string& line : lines_of(read_file(timeline))) {
    json j = json::parse(line);
    if (j.value("name", "") != kind) continue;
    ++kernels;
    from = std::min(from, j.at("from_ps").get<int64_t>());
    to = std::max(to, j.at("to_ps").get<int64_t>());
  }
  // the barriers around them, where a barrier is what is measured, have names of their own
  CHECK(kernels == 3 * pes);
  return to - from;
}

int64_t predicted(const std::string& kind, const std::string& count, int pes, const Words& more = {}) {
  Words words{"predict", kind, "-p",     "hgx-h200", "--scope",          "on_stream",
              "--calls", "3",  "--json", "--pes",    std::to_string(pes)};
  if (kind != "barrier" && kind != "sync")
    words.insert(words.end(), {"--bytes", std::to_string(4 * std::stoll(count))});
  words.insert(words.end(), more.begin(), more.end());
  Result r = shmemu::test::shmemu(words);
  INFO(show(r));
  REQUIRE(r.code == 0);
  json j = json::parse(r.out);
  REQUIRE(j.at("rows").size() == 1);
  return std::llround(j.at("rows")[0].at("latency_us").get<double>() * 1e6);
}

}  // namespace

TEST_CASE("predict: collectives take as long as in a program, to the picosecond") {
  struct Case {
    const char *kind, *count;
  };
  // the counts reach every algorithm: packed tree and put with signal, packed and put, hierarchical, exchange, segments
  for (Case c : {Case{"sync", "1"},
                 {"broadcast", "64"},
                 {"broadcast", "4096"},
                 {"broadcast", "20000"},
                 {"broadcast", "7"},
                 {"fcollect", "64"},
                 {"fcollect", "512"},
                 {"fcollect", "5000"},
                 {"alltoall", "16"},
                 {"alltoall", "3000"},
                 {"reduce", "64"},
                 {"reduce", "63"},
                 {"reduce", "2000"},
                 {"reduce", "30000"},
                 {"reducescatter", "1000"}})
    for (int pes : {2, 4, 8}) {
      INFO(c.kind << " of " << c.count << " elements on " << pes << " PEs");
      CHECK(predicted(c.kind, c.count, pes) == ran(c.kind, c.count, pes) / 3);
    }
}

// 64 segments of 32 KiB on 4 PEs: the three distances of a segment last equally long from the second segment on
TEST_CASE("predict: folded steps give the same time as all of them") {
  for (const char* count : {"524288", "530000"})
    for (int pes : {2, 4, 7}) {
      INFO(count << " elements on " << pes << " PEs");
      CHECK(predicted("reduce", count, pes) == predicted("reduce", count, pes, {"--unfolded"}));
    }
}

TEST_CASE("predict: a table, its explanation, a plot") {
  auto plot = scratch("plot.svg");
  Result r = shmemu::test::shmemu({"predict", "reduce", "-p", "hgx-h200", "--pes", "2:8", "--bytes", "128:8k", "--algo",
                                   "all", "--explain", "--plot", plot.string()});
  INFO(show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.out, "exchange"));
  CHECK(contains(r.out, "128 B <= NVSHMEM_FCOLLECT_LL_THRESHOLD 2048: yes"));
  CHECK(contains(r.out, "nvls-one-shot  cannot run: multicast (NVLS) is not modelled"));
  CHECK(contains(read_file(plot), "segmented, 8 PEs"));
}

TEST_CASE("predict: wrong questions are refused with the remedy") {
  Result r = shmemu::test::shmemu({"predict", "reduce", "-p", "hgx-h200", "--pes", "8192"});
  CHECK(r.code == 2);
  CHECK(contains(r.err, "8192"));
  r = shmemu::test::shmemu({"predict", "reduce", "--algo", "ring"});
  CHECK(r.code == 2);
  CHECK(contains(r.err, "reduce has no algorithm 'ring'; it has nvls-one-shot"));
  r = shmemu::test::shmemu({"predict", "reduce", "--bytes", "7:"});
  CHECK(r.code == 2);
  CHECK(contains(r.err, "--bytes: '7:' is no list of numbers"));
}
