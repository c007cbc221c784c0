// `shmemu platform list|show`: what the shipped platforms are and which of their numbers are guesses.
#include "platform.hpp"

#include <fmt/format.h>

#include "model/platform.hpp"

namespace shmemu::tools {

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
    fmt::print("{} constants are guesses:\n", p.guesses.size());
    for (auto& guess : p.guesses) fmt::print("  {}\n", guess);
  });
}

}  // namespace shmemu::tools
