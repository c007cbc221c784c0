// `shmemu platform list|show`: what the shipped platforms are and which of their numbers are guesses.
#include "platform.hpp"

#include <fmt/format.h>

#include "model/fabric.hpp"

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
}

}  // namespace shmemu::tools
