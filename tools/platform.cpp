// `shmemu platform list|show`: what the shipped platforms are and which of their numbers are guesses.
#include "platform.hpp"

#include <fmt/format.h>

#include <fstream>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "model/fabric.hpp"
#include "model/import/node_topology.hpp"

namespace shmemu::tools {
namespace {

void show_network(const Platform& p) {
  Fabric fabric(p, *p.gpus());
  bool rail = p.fabric.kind == FabricModel::Kind::rail;
  fmt::print("network: one {} per GPU, {:.1f} GB/s; {} with {} adapters per leaf switch, {} leaves\n", p.nic->name,
             p.nic->line_rate.bytes_per_second * 1e-9, rail ? "rail-optimised" : "fat tree", p.fabric.leaf_ports,
             fabric.leaves());
  fmt::print("uplinks of a leaf {:.0f} GB/s (oversubscription {}), bisection {:.0f} GB/s, {} per switch\n",
             fabric.uplink().bytes_per_second * 1e-9, p.fabric.oversubscription,
             fabric.bisection().bytes_per_second * 1e-9, to_text(p.fabric.switch_latency));
}

struct Import {
  std::string file, output, gpu;
  int nvlink = 0;
  bool json = false;
};

void print_topology(const NodeTopology& t, const Import& o) {
  static const char* const near[] = {"-", "PIX", "PXB", "PHB", "NODE", "SYS"};
  auto names = [&](const std::vector<int>& nics) {
    std::vector<std::string> out;
    for (int n : nics) out.push_back(t.nics[static_cast<size_t>(n)].name);
    return out;
  };
  auto islands = t.islands();
  if (o.json) {
    nlohmann::ordered_json gpus = nlohmann::ordered_json::array(), findings = nlohmann::ordered_json::array();
    for (auto& g : t.gpus) {
      nlohmann::ordered_json gpu{{"nics", g.nics}, {"nic_names", names(g.nics)}};
      if (g.numa) gpu["numa"] = *g.numa;
      if (auto rate = t.network_of(g)) gpu["network_GBps"] = *rate;
      gpus.push_back(std::move(gpu));
    }
    for (auto& f : t.findings) findings.push_back({{"rule", f.rule}, {"what", f.what}});
    return fmt::print("{}\n", nlohmann::ordered_json{{"version", 1},
                                                     {"gpus", gpus},
                                                     {"nics", t.nics.size()},
                                                     {"unused_nics", t.unused_nics()},
                                                     {"islands", islands},
                                                     {"findings", findings}}
                                  .dump(1));
  }
  fmt::print("{} GPUs, {} adapters; NVLink {}\n", t.gpus.size(), t.nics.size(),
             islands.empty() ? "unknown" : fmt::format("connects {}", fmt::join(islands, ", ")));
  fmt::print("{:<6}{:>6}{:>8}{:>12}   adapters\n", "GPU", "NUMA", "nearest", "GB/s");
  for (size_t i = 0; i < t.gpus.size(); ++i) {
    auto& g = t.gpus[i];
    auto rate = t.network_of(g);
    fmt::print("{:<6}{:>6}{:>8}{:>12}   {}\n", i, g.numa ? std::to_string(*g.numa) : "?",
               g.nics.empty() ? "?" : near[static_cast<size_t>(g.to_nic[static_cast<size_t>(g.nics[0])])],
               rate ? fmt::format("{:.1f}", *rate) : "?", fmt::join(names(g.nics), " "));
  }
  if (auto unused = t.unused_nics(); !unused.empty()) fmt::print("nobody's: {}\n", fmt::join(names(unused), " "));
  for (auto& f : t.findings) fmt::print("{}: {}\n", f.rule, f.what);
}

// One node as a platform's file; what the topology does not say is the user's, or said to be assumed.
void write_platform(NodeTopology& t, const Import& o, const std::filesystem::path& parts) {
  auto islands = t.islands();
  int domain = 1;
  if (!islands.empty()) {
    domain = static_cast<int>(islands[0].size());
    for (auto& island : islands)
      if (static_cast<int>(island.size()) != domain)
        throw UserError(ExitCode::usage, fmt::format("islands of different sizes ({}); a platform has equal ones",
                                                     fmt::join(islands, ", ")));
  } else if (o.nvlink) {
    domain = static_cast<int>(t.gpus.size());
    t.findings.push_back(
        {"import.assumed", fmt::format("NVLink: {} links of every GPU to switches, as --nvlink says", o.nvlink)});
  } else {
    throw UserError(ExitCode::usage,
                    fmt::format("'{}' does not say which GPUs NVLink connects; give --nvlink LINKS (18 for "
                                "H100 and H200 on switches)",
                                o.file));
  }
  if (o.gpu.empty())
    throw UserError(ExitCode::usage,
                    "a topology does not say which GPUs these are; give --gpu h200 (or another of platforms/gpus)");
  std::ofstream out(o.output);
  out << fmt::format(
      "name: {}\ndescription: imported from {}\ngpu: {}\nhost: {}\ngpus_per_node: {}\nnvlink_domain: {}\n",
      std::filesystem::path(o.output).stem().string(), std::filesystem::path(o.file).filename().string(),
      (parts / "gpus" / (o.gpu + ".yaml")).string(), (parts / "gpus/host-default.yaml").string(), t.gpus.size(),
      domain);
  if (!t.nics.empty()) {
    out << fmt::format(
        "nic: {}\nfabric:\n  kind: rail\n  leaf_ports: [32, \"\", \"guess: not in a topology\"]\n"
        "  oversubscription: [1, \"\", \"guess: not in a topology\"]\n"
        "  switch_latency: [0.24, us, \"guess: not in a topology\"]\n",
        (parts / "nics/connectx7-ndr400.yaml").string());
    t.findings.push_back(
        {"import.assumed", "one adapter per GPU with the costs of nics/connectx7-ndr400.yaml, leaves of 32"});
  }
  if (!out.flush()) throw UserError(ExitCode::usage, fmt::format("cannot write '{}'", o.output));
}

}  // namespace

void add_platform(CLI::App& app, const Layout& layout) {
  CLI::App* cmd = app.add_subcommand("platform", "the modelled machines");
  cmd->require_subcommand(1);
  auto folder = layout.platforms();
  cmd->add_subcommand("list", "names and descriptions")->callback([folder] {
    for (auto& name : list_platforms(folder)) {
      Platform p = load_platform(folder, name);
      fmt::print("{:<16}{:>8} GPUs  {}\n", name, p.gpus() ? std::to_string(*p.gpus()) : "any", p.description);
    }
  });
  auto name = std::make_shared<std::string>();
  CLI::App* show = cmd->add_subcommand("show", "one platform with the constants that are guesses");
  show->add_option("name", *name)->required();
  show->callback([folder, name] {
    Platform p = load_platform(folder, *name);
    fmt::print("{}: {}\n{} nodes, {} GPUs per node, GPU {} ({} SMs), host {}\n", p.name, p.description, p.nodes,
               p.gpus_per_node ? std::to_string(*p.gpus_per_node) : "any", p.gpu.name, p.gpu.sms, p.host.name);
    fmt::print("NVLink: {}; {:.0f} GB/s out of a GPU by stores, {:.0f} by loads\n",
               p.nvlink_domain ? fmt::format("domains of {} GPUs", *p.nvlink_domain) : "one domain",
               p.gpu.nvlink_store.bytes_per_second * 1e-9, p.gpu.nvlink_load.bytes_per_second * 1e-9);
    if (p.nic) show_network(p);
    fmt::print("{} constants are guesses:\n", p.guesses.size());
    for (auto& guess : p.guesses) fmt::print("  {}\n", guess);
  });
  auto o = std::make_shared<Import>();
  CLI::App* import = cmd->add_subcommand("import", "a server from nvidia-smi topo -m or NCCL's topology XML");
  import->add_option("file", o->file)->required();
  import->add_option("-o,--output", o->output, "write a platform's file");
  import->add_option("--gpu", o->gpu, "which GPU's file it uses: h200, h100 …");
  import->add_option("--nvlink", o->nvlink, "links of a GPU to switches, if the file does not say");
  import->add_flag("--json", o->json, "as JSON on standard output");
  import->callback([folder, o] {
    NodeTopology topology = read_topology(o->file);
  if (!o->output.empty()) write_platform(topology, *o, folder);
  print_topology(topology, *o);
});
}  // namespace shmemu::tools

}  // namespace shmemu::tools
