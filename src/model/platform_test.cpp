#include "model/platform.hpp"

#include <catch2/catch.hpp>

#include <iterator>

#include "base/errors.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;
using test::TemporaryFolder;

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A copy of the shipped folder in which `from` of the GPU's file is replaced.
std::string load_with(const std::string& from, const std::string& to) {
  TemporaryFolder folder;
  auto shipped = test::platform_folder();
  std::string gpu = text_of(shipped / "gpus/h200.yaml");
  REQUIRE(gpu.find(from) != std::string::npos);
  gpu.replace(gpu.find(from), from.size(), to);
  folder.write("gpus/h200.yaml", gpu);
  folder.write("gpus/host-default.yaml", text_of(shipped / "gpus/host-default.yaml"));
  auto file = folder.write("one.yaml", "name: one\ngpu: gpus/h200.yaml\nhost: gpus/host-default.yaml\n");
  try {
    load_platform(folder.path(), file.string());
  } catch (const UserError& e) {
    CHECK(e.code() == ExitCode::usage);
    return e.what();
  }
  return "";
}

std::string error_of(const std::filesystem::path& folder, const std::string& name) {
  try {
    load_platform(folder, name);
  } catch (const UserError& e) {
    CHECK(e.code() == ExitCode::usage);
    return e.what();
  }
  return "";
}

const std::string kFabric =
    "fabric:\n  kind: rail\n  leaf_ports: [2, \"\", x]\n  oversubscription: [1, \"\", x]\n  switch_latency: [0.2, us, "
    "x]\n";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the shipped H200 node is read with its numbers and guesses") {
  const Platform& p = test::h200_node();
  CHECK(p.name == "hgx-h200");
  CHECK(p.gpus_per_node == 8);
  CHECK(p.nodes == 512);
  CHECK(p.gpu.sms == 132);
  CHECK(p.gpu.p_issue == 27_ns);
  CHECK(p.gpu.nvlink_store.bytes_per_second == 384e9);
  CHECK(p.host.launch_call == 2930_ns);
  CHECK(std::any_of(p.guesses.begin(), p.guesses.end(), [](auto& g) { return has(g, "completion.flight_remote"); }));
  CHECK(std::none_of(p.guesses.begin(), p.guesses.end(), [](auto& g) { return has(g, "p_issue"); }));
}

TEST_CASE("every shipped platform loads") {
  auto names = list_platforms(test::platform_folder());
  REQUIRE(names.size() >= 2);
  CHECK(names[0] == "hgx-h200");
  for (const auto& name : names) CHECK(load_platform(test::platform_folder(), name).name == name);
}

TEST_CASE("the NVLink domain is the node unless the platform says otherwise") {
  TemporaryFolder folder;
  std::string gpu = (test::platform_folder() / "gpus/h200.yaml").string();
  std::string parts = "nic: " + (test::platform_folder() / "nics/connectx7-ndr400.yaml").string() + "\n" + kFabric +
                      "gpu: " + gpu + "\nhost: " + (test::platform_folder() / "gpus/host-default.yaml").string() + "\n";
  folder.write("two.yaml", "name: two\nnodes: 2\ngpus_per_node: 4\n" + parts);
  folder.write("rack.yaml", "name: rack\nnodes: 2\ngpus_per_node: 4\nnvlink_domain: 8\n" + parts);
  Platform two = load_platform(folder.path(), "two"), rack = load_platform(folder.path(), "rack");
  CHECK(two.gpus() == 8);
  CHECK(two.node_of(GpuId{3}) == 0);
  CHECK(two.node_of(GpuId{4}) == 1);
  CHECK(two.same_nvlink_domain(GpuId{0}, GpuId{3}));
  CHECK_FALSE(two.same_nvlink_domain(GpuId{3}, GpuId{4}));
  CHECK(rack.same_nvlink_domain(GpuId{3}, GpuId{4}));
}

TEST_CASE("an unknown key is refused with the known ones") {
  std::string text = load_with("p_issue:", "p_isue: [1, us, x]\n  p_issue:");
  CHECK(has(text, "unknown key 'p_isue' in section 'copy'"));
  CHECK(has(text, "p_issue"));
}

TEST_CASE("a number without a source is refused") {
  CHECK(has(load_with("[0.027, us, \"RMA p_issue, less the counted loop around it\"]", "[0.027, us, \"\"]"),
            "'copy.p_issue' names no source"));
  CHECK(has(load_with("[0.027, us, \"RMA p_issue, less the counted loop around it\"]", "[0.027, us]"),
            "'copy.p_issue' must be [value, unit, source]"));
}

TEST_CASE("a wrong unit is refused with its line") {
  std::string text =
      load_with("[0.027, us, \"RMA p_issue, less the counted loop around it\"]", "[40, ns, \"RMA p issue\"]");
  CHECK(has(text, "'copy.p_issue' has unit 'ns', expected 'us'"));
  CHECK(has(text, "h200.yaml:"));
}

TEST_CASE("missing, zero and unreadable numbers are refused") {
  CHECK(has(load_with("  p_issue: [0.027, us, \"RMA p_issue, less the counted loop around it\"]\n", ""),
            "'copy.p_issue' is missing"));
  CHECK(has(load_with("[0.027, us, \"RMA p_issue, less the counted loop around it\"]", "[0, us, \"RMA p issue\"]"),
            "must be above 0"));
  CHECK(has(load_with("[0.027, us, \"RMA p_issue, less the counted loop around it\"]", "[fast, us, \"RMA p issue\"]"),
            ".yaml"));
}

TEST_CASE("an unknown platform is refused with the known names") {
  std::string text = error_of(test::platform_folder(), "hgx-h300");
  CHECK(has(text, "unknown platform 'hgx-h300'"));
  CHECK(has(text, "hgx-h200, nvlink-flat, coreweave-2x8"));
  CHECK(has(error_of(test::platform_folder(), "/nowhere/x.yaml"), "platform file '/nowhere/x.yaml' does not exist"));
}

TEST_CASE("a file that is no YAML is refused with its name") {
  TemporaryFolder folder;
  auto file = folder.write("bad.yaml", "name: [1, 2\n");
  CHECK(has(error_of(folder.path(), file.string()), "bad.yaml"));
}

TEST_CASE("the default platform is the first that is large enough") {
  CHECK(default_platform(test::platform_folder(), 1) == "hgx-h200");
  CHECK(default_platform(test::platform_folder(), 8) == "hgx-h200");
  CHECK(default_platform(test::platform_folder(), 9) == "hgx-h200");
  CHECK(default_platform(test::platform_folder(), 4096) == "hgx-h200");
  CHECK(default_platform(test::platform_folder(), 4097) == "nvlink-flat");
  TemporaryFolder empty;
  CHECK_THROWS_AS(default_platform(empty.path(), 1), UserError);
}

namespace {

// What load_platform says about a platform file of these lines, beside the shipped parts.
std::string complaint(const std::string& lines) {
  TemporaryFolder folder;
  std::string parts = test::platform_folder().string();
  auto file = folder.write(
      "p.yaml", "name: p\ngpu: " + parts + "/gpus/h200.yaml\nhost: " + parts + "/gpus/host-default.yaml\n" + lines);
  return error_of(folder.path(), file.string());
}

std::string with_nic(const std::string& lines) {
  return complaint("nic: " + (test::platform_folder() / "nics/connectx7-ndr400.yaml").string() + "\n" + lines);
}

}  // namespace

TEST_CASE("keys and values of a platform file that make no sense are refused with their line") {
  CHECK(has(complaint("node: 2\n"), "p.yaml:4: unknown key 'node'; known: name"));
  CHECK(has(complaint("nodes: 2\nnodes: 3\n"), "p.yaml:5: key 'nodes' is there twice"));
  CHECK(has(complaint("nodes: 0\n"), "p.yaml:4: 'nodes' must be a whole number of at least 1"));
  CHECK(has(complaint("gpus_per_node: eight\n"), "p.yaml:4: 'gpus_per_node' must be a whole number"));
  CHECK(has(complaint("nodes: 2\n"), "p.yaml:4: several nodes need 'gpus_per_node'"));
  CHECK(has(complaint("nodes: 2\ngpus_per_node: 8\n"), "cannot reach each other"));
  CHECK(has(complaint(kFabric), "p.yaml:5: a fabric needs adapters"));
  CHECK(complaint("nodes: 2\ngpus_per_node: 8\nnvlink_domain: 16\n") == "");
}

TEST_CASE("a fabric is checked key by key") {
  auto fabric = [](const std::string& from, const std::string& to) {
    std::string text = kFabric;
    return with_nic(text.replace(text.find(from), from.size(), to));
  };
  CHECK(with_nic(kFabric) == "");
  CHECK(has(with_nic(""), "a platform with 'nic' needs a section 'fabric'"));
  CHECK(has(fabric("rail", "ring"), "p.yaml:6: 'fabric.kind' is 'ring'; known: rail, fat-tree"));
  CHECK(has(fabric("leaf_ports: [2", "leaf_ports: [2.5"),
            "p.yaml:7: 'fabric.leaf_ports' is 2.5, must be a whole number"));
  CHECK(has(fabric("[1, \"\", x]", "[0.5, \"\", x]"), "p.yaml:8: 'fabric.oversubscription' must be at least 1"));
  CHECK(has(fabric("switch_latency: [0.2, us", "switch_latency: [200, ns"),
            "p.yaml:9: 'fabric.switch_latency' has unit 'ns'"));
  CHECK(has(fabric("switch_latency", "latency"), "p.yaml:9: unknown key 'latency'"));
}

TEST_CASE("a GPU file that is like another holds only what differs", "[platform]") {
  Platform h200 = load_platform(test::platform_folder(), "hgx-h200"), h800 = load_platform(test::platform_folder(), "hgx-h800");
  CHECK(h800.gpu.name == "H800");
  CHECK(h800.gpu.nvlink_store.bytes_per_second == Approx(h200.gpu.nvlink_store.bytes_per_second * 8 / 18).epsilon(0.001));
  CHECK(h800.gpu.fence_system == h200.gpu.fence_system);
}
