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

namespace {

// Of every row: PEs, size, algorithm, latencies.
std::vector<std::string> rows_of(const Words& words) {
  Result r = shmemu::test::shmemu(words);
  INFO(show(r));
  REQUIRE(r.code == 0);
  std::vector<std::string> out = lines_of(r.out);
  for (std::string& line : out) line = line.substr(0, line.rfind(','));  // without how much was folded
  return out;
}

double latency(const Words& words) {
  Result r = shmemu::test::shmemu(words);
  INFO(show(r));
  REQUIRE(r.code == 0);
  json j = json::parse(r.out);
  REQUIRE(j.at("rows").size() == 1);
  return j.at("rows")[0].at("latency_us").get<double>();
}

}  // namespace

// Classes of PEs and repeated steps: on one NVLink domain one PE stands for all, on nodes of 8 one node does.
TEST_CASE("predict: every algorithm takes equally long folded and unfolded") {
  for (const char* platform : {"nvlink-flat", "hgx-h200"})
    for (const char* kind : {"barrier", "broadcast", "fcollect", "alltoall", "reduce", "reducescatter"})
      for (const char* scope : {"block", "thread"}) {
        Words words{"predict", kind,    "-p",      platform, "--scope", scope,       "--algo",
                    "all",     "--csv", "--calls", "3",      "--pes",   "3,16,48,64"};
        if (kind != std::string("barrier")) words.insert(words.end(), {"--bytes", "512,66048"});
        Words unfolded = words;
        unfolded.push_back("--no-fold");
        INFO(platform << " " << kind << " " << scope);
        CHECK(rows_of(words) == rows_of(unfolded));
      }
}

// Where PEs meet below one leaf switch or not, they drift apart and no step begins as an earlier one did; leaves of two
// nodes of 8 make four groups of 64 PEs.
TEST_CASE("predict: steps are added up where PEs drift apart") {
  auto file = scratch("small-leaves.yaml");
  std::string text = read_file(source("platforms/hgx-h200.yaml"));
  auto replace = [&](const std::string& what, const std::string& by) {
    REQUIRE(contains(text, what));
    text.replace(text.find(what), what.size(), by);
  };
  for (const char* part : {"gpus/h200.yaml", "gpus/host-default.yaml", "nics/connectx7-ndr400.yaml"})
    replace(part, source("platforms").string() + "/" + part);
  replace("leaf_ports: [32,", "leaf_ports: [2,");
  write_file(file, text);
  for (const char* bytes : {"66048", "262144"})
    for (const char* scope : {"block", "warp"}) {
      Words words{"predict", "reduce",  "-p", file.string(), "--scope", scope,     "--algo", "segmented",
                  "--csv",   "--calls", "2",  "--pes",       "32,64",   "--bytes", bytes};
      Words unfolded = words;
      unfolded.push_back("--no-fold");
      INFO(bytes << " " << scope);
      CHECK(rows_of(words) == rows_of(unfolded));
      words[7] = "two-level";
      unfolded[7] = "two-level";
      CHECK(rows_of(words) == rows_of(unfolded));
    }
}

// Above one group of leaves nothing repeats; 131,040 steps a call. The promise is 60 s; here a machine may be busy.
TEST_CASE("predict: 1 MiB on 4096 PEs") {
  Words words{"predict", "reduce", "-p", "hgx-h200", "--pes", "4096", "--bytes", "1M", "--json"};
  Result r = shmemu::test::shmemu(words);
  INFO(show(r));
  CHECK(r.code == 0);
  json row = json::parse(r.out).at("rows")[0];
  CHECK(row.at("folded").get<double>() > 0.99);
  CHECK(row.at("simulated_pes") == 256);
}

TEST_CASE("predict: multicast and several blocks") {
  auto reduce = [](const Words& more) {
    Words words{"predict", "reduce", "-p", "hgx-h200", "--pes", "8", "--json", "--nvls"};
    words.insert(words.end(), more.begin(), more.end());
    return latency(words);
  };
  // one block of 256 threads: 32 rounds of 1.05 for 1 MiB; published 38.06
  CHECK(reduce({"--bytes", "1M"}) == Approx(38.06).epsilon(0.05));
  // algorithm bandwidths on a stream: published 264 GB/s
  double slope = (reduce({"--bytes", "1G", "--scope", "on_stream", "--graph"}) -
                  reduce({"--bytes", "64M", "--scope", "on_stream", "--graph"}));
  CHECK((1024.0 - 64) * 1048576 / slope / 1e3 == Approx(264.4).epsilon(0.05));
}

TEST_CASE("predict: NCCL's choices and times") {
  auto nccl = [](const char* pes, const char* bytes, const Words& more = {}) {
    Words words{"predict", "reduce", "-p",      "coreweave-2x8", "--library", "nccl",
                "--pes",   pes,      "--bytes", bytes,           "--json"};
    words.insert(words.end(), more.begin(), more.end());
    Result r = shmemu::test::shmemu(words);
    REQUIRE(r.code == 0);
    return json::parse(r.out).at("rows")[0];
  };
  struct Choice {
    const char *pes, *bytes, *algorithm, *protocol;
  };
  for (Choice c : {Choice{"16", "128", "Tree", "LL"},
                   {"16", "64k", "Tree", "LL"},
                   {"16", "1M", "Tree", "LL128"},
                   {"16", "2M", "NVLSTree", "Simple"},
                   {"8", "16k", "symmetric LL", "LL"},
                   {"8", "32k", "symmetric LD/ST", "Simple"}}) {
    json row = nccl(c.pes, c.bytes, std::string(c.pes) == "16" ? Words{"--nvls"} : Words{});
    INFO(c.pes << " PEs, " << c.bytes);
    CHECK(row.at("algorithm") == c.algorithm);
    CHECK(row.at("protocol") == c.protocol);
  }
  // published slopes from 64 MiB to 1 GiB
  auto slope = [&](const char* pes, const Words& more) {
    double t =
        nccl(pes, "1G", more).at("latency_us").get<double>() - nccl(pes, "64M", more).at("latency_us").get<double>();
    return (1024.0 - 64) * 1048576 / t / 1e3;
  };
  CHECK(slope("8", {"--nvls"}) == Approx(276).epsilon(0.05));
  CHECK(slope("8", {}) == Approx(165).epsilon(0.05));
  CHECK(slope("16", {"--nvls"}) == Approx(258).epsilon(0.05));
  CHECK(slope("16", {"--algo", "Ring/Simple"}) == Approx(185).epsilon(0.05));
  for (const char* bytes : {"128", "1k", "16k"})
    CHECK(nccl("8", bytes).at("latency_us").get<double>() == Approx(5.8).margin(1.1));
}

TEST_CASE("predict: libraries beside each other, and where one overtakes") {
  Result r = shmemu::test::shmemu({"predict", "reduce", "-p", "hgx-h200", "--pes", "8", "--bytes", "128:1M", "--nvls",
                                   "--compare", "nvshmem,nccl"});
  INFO(show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.out, "8 PEs: nccl overtakes nvshmem between"));
  r = shmemu::test::shmemu({"predict", "reduce", "--compare", "nvshmem,mpi"});
  CHECK(r.code == 2);
  CHECK(contains(r.err, "'mpi' is no library"));
}

TEST_CASE("predict: beside measurements") {
  Result r = shmemu::test::shmemu({"predict", "--validate", "all"});
  INFO(show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.out, "barrier, 16 PEs"));
}

TEST_CASE("predict: a table, its explanation, a plot") {
  auto plot = scratch("plot.svg");
  Result r = shmemu::test::shmemu({"predict", "reduce", "-p", "hgx-h200", "--pes", "2:8", "--bytes", "128:8k", "--algo",
                                   "all", "--explain", "--plot", plot.string()});
  INFO(show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.out, "exchange"));
  CHECK(contains(r.out, "128 B <= NVSHMEM_FCOLLECT_LL_THRESHOLD 2048: yes"));
  CHECK(contains(r.out, "cannot run: the team has no multicast (NVLS)"));
  CHECK(contains(read_file(plot), "segmented, 8 PEs"));
}

TEST_CASE("predict: wrong questions are refused with the remedy") {
  Result r = shmemu::test::shmemu({"predict", "reduce", "-p", "hgx-h200", "--pes", "8192"});
  CHECK(r.code == 2);
  CHECK(contains(r.err, "8192"));
  r = shmemu::test::shmemu({"predict", "reduce", "--algo", "pigeon"});
  CHECK(r.code == 2);
  CHECK(contains(r.err, "reduce has no algorithm 'pigeon'; it has nvls-one-shot"));
  r = shmemu::test::shmemu({"predict", "reduce", "--bytes", "7:"});
  CHECK(r.code == 2);
  CHECK(contains(r.err, "--bytes: '7:' is no list of numbers"));
}
