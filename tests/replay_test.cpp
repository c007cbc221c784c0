// Record once, replay anywhere: equal to the picosecond on the recorded platform, resolved anew on another.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <map>

#include "harness.hpp"

using namespace shmemu::test;
using nlohmann::json;

namespace {

void replay(const std::filesystem::path& trace, Words more) {
  Words words{"replay", "-q", trace.string()};
  words.insert(words.end(), more.begin(), more.end());
  Result r = shmemu::test::shmemu(words);
  INFO(show(r));
  REQUIRE(r.code == 0);
}

}  // namespace

TEST_CASE("five examples replay to the picosecond, from text and from columns", "[traces]") {
  for (const char* name : {"ring", "ring_allreduce", "jacobi", "histogram", "transpose"}) {
    auto ran = scratch("ran.jsonl"), played = scratch("played.jsonl");
    for (const char* file : {"replay.trace", "replay.h5"}) {
      auto trace = scratch(file);
      Result r = run_program(std::string("examples/") + name,
                             {"-q", "-n", "8", "--record", trace.string(), "--timeline", ran.string()});
      INFO(name << " " << file << ": " << show(r));
      REQUIRE(r.code == 0);
      replay(trace, {"--timeline", played.string()});
      CHECK(read_file(ran).size() > 1000);
      CHECK(read_file(ran) == read_file(played));
    }
  }
}

TEST_CASE("a trace goes from text to columns and back without loss", "[traces]") {
  auto text = scratch("loss.trace"), columns = scratch("loss.h5"), again = scratch("again.trace");
  REQUIRE(run_program("examples/jacobi", {"-q", "-n", "4", "--record", text.string()}).code == 0);
  for (auto [from, to] : {std::pair{text, columns}, std::pair{columns, again}}) {
    Result r = shmemu::test::shmemu({"trace", "convert", from.string(), to.string()});
    INFO(show(r));
    REQUIRE(r.code == 0);
  }
  CHECK(read_file(text) == read_file(again));
  CHECK(shmemu::test::shmemu({"trace", "diff", text.string(), columns.string()}).code == 0);
  CHECK(shmemu::test::shmemu({"trace", "info", text.string()}).out ==
        shmemu::test::shmemu({"trace", "info", columns.string()}).out);
  CHECK(shmemu::test::shmemu({"trace", "head", text.string()}).out ==
        shmemu::test::shmemu({"trace", "head", columns.string()}).out);
}

namespace {

struct Played {
  double virtual_us = 0;
  std::map<std::string, json> operations;
};

// The sample, its PEs placed so many to a node.
Played jacobi_on(const char* pes_per_node) {
  Result r = shmemu::test::shmemu(
      {"replay", "--json", source("traces/jacobi_8pes.h5").string(), "-p", "hgx-h200", "--pes-per-node", pes_per_node});
  INFO(show(r));
  REQUIRE(r.code == 0);
  json report = json::parse(r.out);
  Played out;
  for (const json& pe : report["pe_results"]) out.virtual_us = std::max(out.virtual_us, pe["virtual_us"].get<double>());
  for (const json& op : report["operations"]) out.operations[op["operation"]] = op;
  return out;
}

}  // namespace

// One exchange of borders crosses nodes in 2 x 4, all seven do in 8 x 1. A step follows the slowest exchange, so 2 x 4
// is nearly as slow; but there most PEs do not pay for it, they wait for those that do.
TEST_CASE("one recorded Jacobi on 1 x 8, 2 x 4 and 8 x 1 gives three explained results", "[traces]") {
  Played one = jacobi_on("8"), two = jacobi_on("4"), eight = jacobi_on("1");
  CHECK(two.virtual_us > 2 * one.virtual_us);
  CHECK(eight.virtual_us > two.virtual_us);
  auto put = [](Played& p) { return p.operations["put_signal_block"]; };
  CHECK(put(one)["max_us"] < 2);                                  // NVLink only
  CHECK((put(two)["median_us"] < 2 && put(two)["max_us"] > 10));  // one of seven exchanges uses the adapter …
  CHECK(put(eight)["min_us"] > 10);                               // … all of them
  CHECK(two.operations["wait"]["max_us"] > 3 * eight.operations["wait"]["max_us"].get<double>());
}

// queue takes tickets by fetching atomics, and on two nodes they would be given in another order.
TEST_CASE("a replay elsewhere says that answers which depended on time steered the program", "[traces]") {
  auto said = [](const std::string& name, Words more) {
    auto trace = scratch(name + ".h5");
    REQUIRE(run_program("examples/" + name, {"-q", "-n", "4", "--record", trace.string()}).code == 0);
    Words words{"replay", trace.string()};
    words.insert(words.end(), more.begin(), more.end());
    Result r = shmemu::test::shmemu(words);
    INFO(show(r));
    CHECK((r.code == 0 || r.code == 4));
    return contains(r.err, "fetch, whose answers depend on time");
  };
  CHECK(said("queue", {"-p", "hgx-h200", "--pes-per-node", "2"}));
  CHECK_FALSE(said("queue", {}));
  CHECK_FALSE(said("ring", {"-p", "hgx-h200", "--pes-per-node", "2"}));
}

TEST_CASE("the samples of programs play", "[traces]") {
  Result r = shmemu::test::shmemu({"replay", source("traces/ring_4pes.trace").string()});
  INFO(show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.err, "trace of ring on 4 PEs"));
}
