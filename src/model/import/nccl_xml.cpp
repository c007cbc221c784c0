// NCCL's topology XML (NCCL_TOPO_DUMP_FILE, or an overlay that a cloud ships): CPUs, PCIe bridges, GPUs with their
// NVLinks, adapters with speeds in Mb/s. Latency attributes of 0.0 are what nobody filled in, not measurements.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/errors.hpp"
#include "model/import/readers.hpp"

namespace shmemu::import {
namespace {

using Near = NodeTopology::Near;

// The chain of enclosing elements, outermost first.
std::vector<pugi::xml_node> way_to(pugi::xml_node node) {
  std::vector<pugi::xml_node> way;
  for (; node; node = node.parent()) way.insert(way.begin(), node);
  return way;
}

Near nearness(pugi::xml_node gpu, pugi::xml_node net) {
  auto a = way_to(gpu), b = way_to(net);
  size_t common = 0;
  while (common < a.size() && common < b.size() && a[common] == b[common]) ++common;
  std::string last = a[common - 1].name();
  if (last == "pci") return Near::pix;  // below one bridge
  return last == "cpu" ? Near::phb : Near::sys;
}

}  // namespace

NodeTopology read_nccl_xml(const std::string& text, const std::string& file) {
  pugi::xml_document document;
  if (auto result = document.load_string(text.c_str()); !result)
    throw UserError(ExitCode::usage,
                    fmt::format("{}: no XML at byte {}: {}", file, result.offset, result.description()));
  NodeTopology t;
  std::vector<pugi::xml_node> gpus, nets;
  for (auto found : document.select_nodes("//gpu")) gpus.push_back(found.node());
  for (auto found : document.select_nodes("//net")) nets.push_back(found.node());
  if (gpus.empty())
    throw UserError(ExitCode::usage, fmt::format("{}: no <gpu> below <system>; is it NCCL's topology?", file));
  std::map<std::string, size_t> by_bus;
  bool latencies = false;
  for (auto& g : gpus) by_bus[g.parent().attribute("busid").value()] = by_bus.size();
  for (auto& n : nets) {
    NodeTopology::Nic nic{n.attribute("name").value(), {}};
    if (double speed = n.attribute("speed").as_double(); speed > 0) nic.gb_per_s = speed / 8000;
    latencies |= n.attribute("latency") && n.attribute("latency").as_double() == 0;
    t.nics.push_back(nic);
  }
  t.nvlinks.assign(gpus.size(), std::vector<std::optional<int>>(gpus.size()));
  std::vector<int> to_switches(gpus.size());
  bool links = false;
  for (size_t g = 0; g < gpus.size(); ++g) {
    NodeTopology::Gpu gpu;
    if (auto sm = gpus[g].attribute("sm")) gpu.sm = sm.as_int();
    for (auto at = gpus[g].parent(); at; at = at.parent())
      if (std::string(at.name()) == "cpu") gpu.numa = at.attribute("numaid").as_int();
    for (auto& n : nets) gpu.to_nic.push_back(nearness(gpus[g], n));
    for (auto link : gpus[g].children("nvlink")) {
      links = true;
      int count = link.attribute("count").as_int();
      std::string target_class = link.attribute("tclass").value();
      if (target_class.starts_with("0x0680"))
        to_switches[g] += count;
      else if (auto peer = by_bus.find(link.attribute("target").value()); peer != by_bus.end())
        t.nvlinks[g][peer->second] = count;
    }
    t.gpus.push_back(std::move(gpu));
  }
  if (links) {
    for (size_t a = 0; a < gpus.size(); ++a)
      for (size_t b = 0; b < gpus.size(); ++b)
        t.nvlinks[a][b] = t.nvlinks[a][b].value_or(0) + std::min(to_switches[a], to_switches[b]);
  } else {
    t.findings.push_back(
        {"import.missing", fmt::format("NVLink: the file names none (an overlay; NCCL adds those it detects); give "
                                       "--nvlink LINKS, usual for sm {} are 18 to a switch",
                                       t.gpus[0].sm.value_or(0))});
  }
  if (latencies) t.findings.push_back({"import.missing", "latencies of adapters: 0.0 stands for not filled in"});
  return t;
}

}  // namespace shmemu::import
