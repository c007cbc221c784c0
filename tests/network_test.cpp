// Runs over several nodes: placement, NVSHMEM's variables, correctness over both network transports, and times beside
// published measurements.
#include <catch2/catch.hpp>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

const std::string kIbgda = "NVSHMEM_IB_ENABLE_IBGDA=1";

// `shmemu run` with NVSHMEM's variables as given.
Result run_with(const Words& variables, const std::string& name, const Words& options, const Words& arguments = {}) {
  Words command{"env"};
  command.insert(command.end(), variables.begin(), variables.end());
  command.insert(command.end(), {SHMEMU_BINARY, "run"});
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(program(name).string());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, 120);
}

const Words kTwoNodes{"-q", "-n", "2", "-p", "coreweave-2x8", "--pes-per-node", "1"};

}  // namespace

TEST_CASE("16 PEs of hgx-h200 sit on two nodes and reach each other by every operation") {
  for (const Words& variables : {Words{}, Words{kIbgda}, Words{kIbgda, "NVSHMEM_IBGDA_RC_MAP_BY=warp"},
                                 Words{"NVSHMEM_REMOTE_TRANSPORT=libfabric"}})
    for (const char* delivery : {"observed", "adverse"}) {
      Result r = run_with(variables, "programs/nodes", {"-n", "16", "-p", "hgx-h200", "--delivery", delivery});
      INFO(show(r));
      CHECK(r.code == 0);
      CHECK(contains(r.out, "8 PEs per node"));
    }
}

TEST_CASE("the number of PEs per node can be chosen") {
  Result r = run_with({}, "programs/nodes", {"-n", "4", "-p", "hgx-h200", "--pes-per-node", "2"});
  INFO(show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.out, "2 PEs per node"));
}

TEST_CASE("the report names the network path and the variable that decides it") {
  Result proxy = run_with({}, "programs/nodes", {"-n", "16"}), gpu = run_with({kIbgda}, "programs/nodes", {"-n", "16"});
  CHECK(contains(proxy.err, "a CPU proxy with ibrc drives the adapter (ConnectX-7 NDR400)"));
  CHECK(contains(gpu.err,
                 "GPU threads drive the adapter (ConnectX-7 NDR400) between domains: NVSHMEM_IB_ENABLE_IBGDA is set"));
  Result explained = run_with({}, "examples/hello", {"-n", "2", "--explain"});
  CHECK(contains(explained.err, "they share one NVLink domain"));
  Result bad = run_with({"NVSHMEM_REMOTE_TRANSPORT=tcp"}, "examples/hello", {"-n", "2"});
  CHECK(bad.code == 2);
  CHECK(contains(bad.err, "NVSHMEM_REMOTE_TRANSPORT=tcp: known: none, ibrc"));
}

TEST_CASE("NVSHMEM_MAX_TEAMS is the number of teams, at least 64 where GPUs have multicast") {
  auto teams = [](const Words& variables) { return run_with(variables, "programs/many_teams", {"-q", "-n", "2"}).out; };
  CHECK(contains(teams({}), "58 teams"));  // six are predefined
  CHECK(contains(teams({"NVSHMEM_DISABLE_NVLS=1"}), "26 teams"));
  CHECK(contains(teams({"NVSHMEM_DISABLE_NVLS=1", "NVSHMEM_MAX_TEAMS=7"}), "1 teams"));
  CHECK(contains(teams({"NVSHMEM_MAX_TEAMS=100"}), "94 teams"));
}

TEST_CASE("variables that NVSHMEM does not know are named in the report") {
  Result r = run_with({"NVSHMEM_P2P_DISABLE=1"}, "examples/hello", {"-n", "2"});
  CHECK(contains(r.err, "NVSHMEM does not know the variable NVSHMEM_P2P_DISABLE"));
}

TEST_CASE("an adapter reads the source of an nbi put after the call has returned, NVLink has read it then") {
  Result nvlink = run_with({}, "programs/source_reused_early", {"-q", "-n", "2"});
  Result adapter = run_with({kIbgda}, "programs/source_reused_early", kTwoNodes);
  INFO(show(nvlink) << show(adapter));
  CHECK(contains(nvlink.out, "arrived: 1"));
  CHECK(contains(adapter.out, "arrived: 2"));
}

TEST_CASE("equal runs over the network give equal digests") {
  auto digest = [](const Words& variables) {
    Result r = run_with(variables, "programs/nodes", {"-n", "16"});
    size_t at = r.err.find("digest ");
    REQUIRE(at != std::string::npos);
    return r.err.substr(at, 23);
  };
  CHECK(digest({}) == digest({}));
  CHECK(digest({kIbgda}) == digest({kIbgda}));
  CHECK(digest({}) != digest({kIbgda}));
}

TEST_CASE("a run over the network replays with the same digest, values of p included") {
  for (const Words& variables : {Words{}, Words{kIbgda}}) {
    auto trace = scratch("network.trace");
    Result recorded = run_with(variables, "programs/nodes", {"-n", "16", "--record", trace.string()});
    Words command{"env"};
    command.insert(command.end(), variables.begin(), variables.end());
    command.insert(command.end(), {SHMEMU_BINARY, "replay", trace.string()});
    Result replayed = run(command, 120);
    INFO(show(recorded) << show(replayed));
    REQUIRE(replayed.code == 0);
    CHECK(recorded.err.substr(recorded.err.find("digest ")) == replayed.err.substr(replayed.err.find("digest ")));
  }
}
