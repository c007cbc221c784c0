#include "model/import/node_topology.hpp"

#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

using Ints = std::vector<int>;

NodeTopology topology(const std::string& name) {
  return read_topology(std::filesystem::path(SHMEMU_SOURCE) / "tests/data/topologies" / name);
}

NodeTopology from(const std::string& text) {
  test::TemporaryFolder folder;
  return read_topology(folder.write("topology", text));
}

std::string what(const NodeTopology& t, const std::string& rule) {
  std::string out;
  for (auto& f : t.findings)
    if (f.rule == rule) out += f.what + "; ";
  return out;
}

}  // namespace

TEST_CASE("topology matrix: every GPU has the adapter below its own switch") {
  auto t = topology("topo-m-pix8.txt");
  REQUIRE(t.gpus.size() == 8);
  for (int g = 0; g < 8; ++g) {
    auto& gpu = t.gpus[static_cast<size_t>(g)];
    CHECK(gpu.nics == Ints{g});
    CHECK(gpu.numa == (g < 4 ? 0 : 1));
    for (int other = 0; other < 8; ++other)
      if (other != g) CHECK(t.nvlinks[static_cast<size_t>(g)][static_cast<size_t>(other)] == 18);
  }
  CHECK(t.islands().size() == 1);
  CHECK_THAT(what(t, "import.missing"), Catch::Contains("no speeds"));
}

TEST_CASE("topology matrix: tabs and underline codes; adapters that nobody is near are named") {
  auto t = topology("topo-m-tabs-10nic.txt");
  for (int g = 0; g < 8; ++g) CHECK(t.gpus[static_cast<size_t>(g)].nics == Ints{g + 2});
  CHECK(t.unused_nics() == Ints{0, 1});
}

TEST_CASE("topology matrix: -mp hides NVLink, missing rows are partial") {
  auto t = topology("topo-mp-14nic-truncated.txt");
  CHECK(t.gpus[0].nics == Ints{0});
  CHECK(t.gpus[1].nics == Ints{1});
  CHECK(t.gpus[2].nics == Ints{2});
  CHECK(t.gpus[3].nics == Ints{7});
  CHECK(t.gpus[4].nics.empty());
  CHECK(t.islands().empty());
  CHECK_THAT(what(t, "import.missing"), Catch::Contains("NVLink is unknown"));
  CHECK_THAT(what(t, "import.partial"), Catch::Contains("4 of 8 rows"));
}

TEST_CASE("topology matrix: GPUs that are equally near to several adapters share them, and the rule is said") {
  auto t = topology("topo-m-pxb18-truncated.txt");
  for (size_t g : {0, 1}) CHECK(t.gpus[g].nics == Ints{0, 1, 2, 3});
  for (size_t g : {2, 3}) CHECK(t.gpus[g].nics == Ints{6, 7, 8, 9});
  CHECK(t.islands().size() == 1);  // four rows say that all are connected
  CHECK(t.unused_nics().empty());  // nobody knows
  CHECK_THAT(what(t, "import.assumed"), Catch::Contains("tie rule"));
  CHECK_THAT(what(t, "import.partial"), Catch::Contains("4 of 8 rows"));
}

TEST_CASE("topology matrix: bridged pairs are islands") {
  auto t = topology("topo-m-hybrid-pairs.txt");
  CHECK(t.islands() == std::vector<Ints>{{0, 1}, {2, 3}, {4, 5}});
  CHECK(t.nvlinks[2][3] == 4);
  CHECK_THAT(what(t, "import.missing"), Catch::Contains("over PCIe is unknown") && Catch::Contains("no adapters"));
}

TEST_CASE("topology matrix: adapters may be called by their devices; what is no matrix is refused") {
  auto t = from(
      "$ nvidia-smi topo -m\n\tGPU0\tGPU1\tmlx5_0\tCPU Affinity\nGPU0\t X \tNV12\tPIX\t0-3\nGPU1\tNV12\t X "
      "\tSYS\t0-3\n");
  CHECK(t.nics.at(0).name == "mlx5_0");
  CHECK(t.nvlinks[0][1] == 12);
  CHECK_THROWS_WITH(from("hello\n"), Catch::Contains("neither a matrix"));
  CHECK_THROWS_WITH(from("\tGPU0\tGPU1\nGPU0\tX\n"), Catch::Contains("has 1 cells, 2 columns are named"));
  CHECK_THROWS_WITH(from("\tGPU0\tGPU1\nGPU0\tX\tFAR\n"), Catch::Contains("'FAR' between GPU0 and GPU1"));
}

TEST_CASE(
    "NCCL's XML: adapters below a GPU's bridge are its own, speeds are in Mb/s, NVLink that is not there is asked "
    "for") {
  std::string bridges;
  for (int g = 0; g < 8; ++g) {  // a bridge with a GPU and four adapters of 100 Gb/s, as p5.48xlarge has them
    bridges += "<pci busid=\"b" + std::to_string(g) + "\" class=\"0x060400\"><pci busid=\"g" + std::to_string(g) +
               "\" class=\"0x030200\"><gpu dev=\"" + std::to_string(g) + "\" sm=\"90\"/></pci>";
    for (int n = 0; n < 4; ++n)
      bridges += "<pci busid=\"n\"><nic><net name=\"rdma" + std::to_string(4 * g + n) +
                 "\" speed=\"100000\" latency=\"0.0\"/></nic></pci>";
    bridges += "</pci>";
  }
  auto t = from("<system version=\"1\"><cpu numaid=\"0\">" + bridges + "</cpu></system>");
  CHECK(t.gpus.size() == 8);
  CHECK(t.nics.size() == 32);
  CHECK(t.gpus[3].nics == Ints{12, 13, 14, 15});
  CHECK(t.network_of(t.gpus[3]) == 50);
  CHECK(t.islands().empty());
  CHECK_THAT(what(t, "import.missing"), Catch::Contains("NVLink") && Catch::Contains("usual for sm 90"));
  CHECK_THAT(what(t, "import.missing"), Catch::Contains("0.0 stands for not filled in"));
}

TEST_CASE("NCCL's XML: NVLinks to a switch connect all GPUs") {
  auto t = from(
      "<system><cpu numaid=\"1\"><pci busid=\"a\"><gpu dev=\"0\" sm=\"90\"><nvlink target=\"s\" count=\"18\" "
      "tclass=\"0x068000\"/>"
      "</gpu></pci><pci busid=\"b\"><gpu dev=\"1\" sm=\"90\"><nvlink target=\"s\" count=\"18\" "
      "tclass=\"0x068000\"/></gpu>"
      "</pci></cpu></system>");
  CHECK(t.nvlinks[0][1] == 18);
  CHECK(t.islands() == std::vector<Ints>{{0, 1}});
  CHECK(t.gpus[0].numa == 1);
  CHECK_THROWS_WITH(from("<system><gpu></system>"), Catch::Contains("no XML at byte"));
}
