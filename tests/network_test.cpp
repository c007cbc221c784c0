// Runs over several nodes: placement, NVSHMEM's variables, correctness over both network transports, and times beside
// published measurements.
#include <catch2/catch.hpp>

#include <map>
#include <sstream>

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

// µs by "test bytes" of a probe's CSV.
std::map<std::string, double> times_of(const std::string& text) {
  std::map<std::string, double> out;
  for (const std::string& line : lines_of(text)) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; std::getline(in, word, ',');) words.push_back(word);
    if (words.size() >= 10 && words[0] != "test") out[words[0] + " " + words[5]] = std::stod(words[7]);
  }
  return out;
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

TEST_CASE("loops over the network take what was measured, within 13 % in every row") {
  Result loops = run_with({kIbgda, "NVSHMEM_IBGDA_NUM_RC_PER_PE=1"}, "validation/network_probe", kTwoNodes, {"loops"});
  Result one_op = run_with({kIbgda}, "validation/network_probe", kTwoNodes, {"one_op"});
  Result proxy = run_with({}, "validation/network_probe", kTwoNodes, {"proxy"});
  auto predicted = times_of(loops.out + one_op.out + proxy.out);
  auto measured = times_of(read_file(source("platforms/measurements/network_h200.csv")));
  CHECK(measured.size() >= 34);
  for (auto& [row, us] : measured) {
    INFO(row);
    REQUIRE(predicted.count(row));
    CHECK(predicted[row] == Approx(us).epsilon(0.13));
  }
  // statements of arXiv:2606.05951 on the same machine, within 10 %; its g (25.3) is 11 % above the raw log it comes
  // from
  CHECK(predicted["ibgda_put 256"] == Approx(9.4).epsilon(0.1));
  CHECK(predicted["ibgda_get 256"] == Approx(9.5).epsilon(0.1));
  CHECK(predicted["ibgda_put 65536"] == Approx(9.7).epsilon(0.1));
  CHECK(predicted["ibgda_p 256"] == Approx(7.5).epsilon(0.1));
  CHECK(predicted["ibgda_g 256"] == Approx(25.3).epsilon(0.11));
}
