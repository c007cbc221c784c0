// The subcommands around platforms: traffic over engines, import of a server, calibrate.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

nlohmann::json json_of(const Words& arguments) {
  Result r = shmemu::test::shmemu(arguments);
  INFO(show(r));
  REQUIRE(r.code == 0);
  return nlohmann::json::parse(r.out);
}

}  // namespace

TEST_CASE("traffic: engines side by side on a platform, no less than the fullest port needs") {
  auto answer = json_of(
      {"traffic", "all-to-all", "-p", "hgx-h200", "--gpus", "32", "--bytes", "1M", "--engine", "ports,fifo", "--json"});
  REQUIRE(answer["engines"].size() == 2);
  // 24 of 31 messages leave a node through an adapter of 48.95 GB/s
  CHECK(answer["least_us"].get<double>() == Approx(24 * 1048.576 / 48.95).epsilon(0.01));
  CHECK(answer["engines"][0]["last_us"].get<double>() == Approx(answer["least_us"].get<double>()).epsilon(0.02));
  CHECK(answer["engines"][1]["last_us"] >= answer["least_us"]);
  Result bad = shmemu::test::shmemu({"traffic", "shift", "-p", "coreweave-2x8", "--gpus", "32"});
  CHECK(bad.code == 2);
  CHECK(contains(bad.err, "platform 'coreweave-2x8' has 16 GPUs, --gpus asks for 32"));
}

TEST_CASE("import: a pasted matrix becomes a platform that runs; what it does not say is asked for") {
  auto matrix = source("tests/data/topologies/topo-m-pix8.txt").string();
  auto file = scratch("mine.yaml").string();
  auto answer = json_of({"platform", "import", matrix, "-o", file, "--gpu", "h200", "--json"});
  CHECK(answer["gpus"][5]["nics"] == std::vector<int>{5});
  CHECK(answer["islands"].size() == 1);
  Result shown = shmemu::test::shmemu({"platform", "show", file});
  INFO(show(shown));
  CHECK(contains(shown.out, "mine: imported from topo-m-pix8.txt"));
  CHECK(contains(shown.out, "8 GPUs per node"));
  Result hidden = shmemu::test::shmemu(
      {"platform", "import", source("tests/data/topologies/topo-mp-14nic-truncated.txt").string(), "-o", file});
  CHECK(hidden.code == 2);
  CHECK(contains(hidden.err, "give --nvlink LINKS"));
  Result unnamed = shmemu::test::shmemu({"platform", "import", matrix, "-o", file});
  CHECK(unnamed.code == 2);
  CHECK(contains(unnamed.err, "give --gpu h200"));
}

TEST_CASE("calibrate: rows of the probe become a GPU's file that loads") {
  auto file = scratch("again.yaml");
  Result r = shmemu::test::shmemu(
      {"calibrate", source("platforms/measurements/h200x2_nvshmem345.csv").string(), "-o", file.string()});
  INFO(show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.out, "links.nvlink_store"));
  CHECK(contains(read_file(file), "like: "));
  write_file(scratch("platform.yaml"), "name: again\ngpu: " + file.string() +
                                           "\nhost: " + source("platforms/gpus/host-default.yaml").string() + "\n");
  CHECK(shmemu::test::shmemu({"platform", "show", scratch("platform.yaml").string()}).code == 0);
}
