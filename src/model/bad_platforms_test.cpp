// Platform files with one mistake each. A message says where (file:line), what is wrong with the value, and what to
// write.
#include <catch2/catch.hpp>

#include <iterator>

#include "base/errors.hpp"
#include "model/platform.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Lines 1 to 15 of cluster.yaml; every case changes one of them, or one of a part.
const char* const kCluster = R"(name: cluster
gpu: gpu.yaml
host: host.yaml
nic: nic.yaml
nodes: 4
gpus_per_node: 8
nvlink_domain: 8
fabric:
  kind: fat-tree
  leaf_ports: [32, "", "x"]
  oversubscription: [2, "", "x"]
  switch_latency: [0.24, us, "x"]
)";

struct Case {
  const char* what;
  const char* file;      // that has the mistake
  std::string from, to;  // in it
  const char* line;      // of the message; empty: any
  const char* reason;
  const char* remedy;
};

const Case kCases[] = {
    // keys
    {"unknown key", "cluster.yaml", "nodes: 4", "node: 4", "5", "unknown key 'node'", "known: name, description"},
    {"key twice", "cluster.yaml", "nodes: 4", "nodes: 4\nnodes: 5", "6", "key 'nodes' is there twice", "twice"},
    {"no name", "cluster.yaml", "name: cluster\n", "", "", "'name' is missing", "write name: what reports call it"},
    {"no gpu", "cluster.yaml", "gpu: gpu.yaml\n", "", "", "'gpu' is missing", "write gpu: the path of its file"},
    {"unknown key of a GPU", "gpu.yaml", "  p_issue:", "  p_isue: [1, us, x]\n  p_issue:", "", "unknown key 'p_isue'",
     "known: call_thread"},
    {"constant twice", "gpu.yaml", "  p_issue:", "  p_issue: [0.1, us, x]\n  p_issue:", "",
     "'copy.p_issue' is there twice", "twice"},
    {"section missing", "nic.yaml", "wire:", "wires:", "", "unknown key 'wires'", "known: name, like, wire"},
    {"section is a number", "gpu.yaml", "kernel:\n", "kernel: 3\nkern:\n", "", "unknown key 'kern'", "known: name"},
    {"constant missing", "nic.yaml", "  packet:", "  packets:", "", "'wire.packet' is missing",
     "write packet: [value, B, \"source\"]"},
    {"unknown key of a fabric", "cluster.yaml", "switch_latency", "latency", "12", "unknown key 'latency'",
     "known: kind, leaf_ports"},
    // values
    {"negative rate", "nic.yaml", "line_rate: [48.95", "line_rate: [-48.95", "7", "is -48.95", "must be above 0"},
    {"negative time", "gpu.yaml", "p_issue: [0.027", "p_issue: [-0.027", "", "is -0.027", "must be above 0"},
    {"zero", "cluster.yaml", "switch_latency: [0.24", "switch_latency: [0", "12", "is 0", "must be above 0"},
    {"no number", "nic.yaml", "line_rate: [48.95", "line_rate: [fast", "7", "'fast', which is no number",
     "units have a place of their own"},
    {"number with unit", "nic.yaml", "line_rate: [48.95", "line_rate: [48.95GB/s", "7", "which is no number",
     "units have a place of their own"},
    {"not finite", "nic.yaml", "line_rate: [48.95", "line_rate: [.inf", "7", "which is no number", "units"},
    {"half a port", "cluster.yaml", "leaf_ports: [32", "leaf_ports: [2.5", "10", "is 2.5", "must be a whole number"},
    {"negative nodes", "cluster.yaml", "nodes: 4", "nodes: -4", "5", "'nodes'", "must be a whole number of at least 1"},
    {"GPUs in words", "cluster.yaml", "gpus_per_node: 8", "gpus_per_node: eight", "6", "'gpus_per_node'",
     "must be a whole number of at least 1"},
    {"fewer uplinks than none", "cluster.yaml", "oversubscription: [2", "oversubscription: [0.5", "11",
     "'fabric.oversubscription'", "at least 1 (1 = non-blocking)"},
    {"unknown fabric", "cluster.yaml", "kind: fat-tree", "kind: hypercube", "9", "'hypercube'",
     "known: rail, fat-tree"},
    // units
    {"nanoseconds as unit", "gpu.yaml", "p_issue: [0.027, us", "p_issue: [27, ns", "", "has unit 'ns'",
     "expected 'us'"},
    {"nanoseconds under us", "gpu.yaml", "p_issue: [0.027", "p_issue: [27", "", "is 27 us, more than 10",
     "was another unit meant?"},
    {"gigabits as unit", "nic.yaml", "line_rate: [48.95, GB/s", "line_rate: [400, Gb/s", "7", "has unit 'Gb/s'",
     "expected 'GB/s'"},
    {"gigabits under GB/s", "nic.yaml", "line_rate: [48.95", "line_rate: [400", "7", "is 400 GB/s, more than 150",
     "was another unit meant?"},
    {"megahertz under GHz", "gpu.yaml", "clock_ghz: [1.98", "clock_ghz: [1980", "", "is 1980 GHz, more than 10",
     "was another unit meant?"},
    {"bytes in GB", "gpu.yaml", "memory: [150109880320, B", "memory: [150, GB", "", "has unit 'GB'", "expected 'B'"},
    {"a number alone", "nic.yaml", "line_rate: [48.95, GB/s, ", "line_rate: [48.95, ", "7", "'wire.line_rate'",
     "must be [value, unit, source]"},
    {"no source", "cluster.yaml", "switch_latency: [0.24, us, \"x\"]", "switch_latency: [0.24, us, \"\"]", "12",
     "names no source", "or \"guess: why\""},
    // who reaches whom
    {"no way between nodes", "cluster.yaml", kCluster + std::string(kCluster).find("nic:"),
     "nodes: 4\ngpus_per_node: 8\n", "", "cannot reach each other", "name a file of network adapters with 'nic'"},
    {"several nodes of any size", "cluster.yaml", "gpus_per_node: 8\nnvlink_domain: 8\n", "", "5",
     "several nodes need 'gpus_per_node'", "need 'gpus_per_node'"},
    {"fabric without adapters", "cluster.yaml", "nic: nic.yaml\n", "", "", "a fabric needs adapters",
     "name a file with 'nic'"},
    {"adapters without fabric", "cluster.yaml", std::string(kCluster).substr(std::string(kCluster).find("fabric:")), "",
     "", "a platform with 'nic' needs a section 'fabric'", "needs a section"},
    {"domain cuts a node", "cluster.yaml", "nvlink_domain: 8", "nvlink_domain: 12", "7", "cut through nodes of 8",
     "take a divisor or a multiple"},
    // files
    {"part does not exist", "cluster.yaml", "gpu: gpu.yaml", "gpu: gpus/none.yaml", "2", "which is no file",
     "paths are relative to the platform's file"},
    {"part is a folder", "cluster.yaml", "gpu: gpu.yaml", "gpu: .", "2", "which is no file", "paths are relative"},
    {"no YAML", "cluster.yaml", "nodes: 4", "nodes: [4", "", "no YAML", "look at brackets, colons and indentation"},
    {"a list", "cluster.yaml", kCluster, "- name: cluster\n", "1", "a map of keys is expected", "as in 'name: "},
    {"takes itself over", "gpu.yaml", "name: H200", "name: H200\nlike: gpu.yaml", "", "goes round in a circle",
     "let one file have all keys"},
    {"takes over nothing", "gpu.yaml", "name: H200", "name: H200\nlike: h100.yaml", "", "which does not exist",
     "paths are relative to the file"},
};

}  // namespace

TEST_CASE("platform files with a mistake are refused with file, line, reason and remedy") {
  CHECK(std::size(kCases) >= 30);
  auto shipped = test::platform_folder();
  for (const Case& c : kCases) {
    test::TemporaryFolder folder;
    for (auto [name, text] : {std::pair<std::string, std::string>{"cluster.yaml", kCluster},
                              {"gpu.yaml", text_of(shipped / "gpus/h200.yaml")},
                              {"host.yaml", text_of(shipped / "gpus/host-default.yaml")},
                              {"nic.yaml", text_of(shipped / "nics/connectx7-ndr400.yaml")}}) {
      if (name == c.file) {
        INFO(c.what);
        REQUIRE(text.find(c.from) != std::string::npos);
        text.replace(text.find(c.from), c.from.size(), c.to);
      }
      folder.write(name, text);
    }
    std::string message;
    try {
      load_platform(folder.path(), (folder.path() / "cluster.yaml").string());
    } catch (const UserError& e) {
      CHECK(e.code() == ExitCode::usage);
      message = e.what();
    }
    INFO(c.what << ": " << message);
    CHECK_THAT(message, Catch::Contains(std::string(c.file) + ":" + c.line));
    CHECK_THAT(message, Catch::Contains(c.reason));
    CHECK_THAT(message, Catch::Contains(c.remedy));
  }
}

TEST_CASE("a GPU that is like another one keeps what its file does not say") {
  test::TemporaryFolder folder;
  auto shipped = test::platform_folder();
  folder.write("gpu.yaml",
               "name: other\nlike: " + (shipped / "gpus/h200.yaml").string() + "\nshape:\n  sms: [78, \"\", \"x\"]\n");
  folder.write("one.yaml", "name: one\ngpu: gpu.yaml\nhost: " + (shipped / "gpus/host-default.yaml").string() + "\n");
  Platform p = load_platform(folder.path(), "one");
  CHECK(p.gpu.name == "other");
  CHECK(p.gpu.sms == 78);
  CHECK(p.gpu.p_issue == test::h200_node().gpu.p_issue);
  CHECK(std::any_of(p.guesses.begin(), p.guesses.end(),
                    [](auto& g) { return g == "other: all that the file does not say is taken over from H200"; }));
}
