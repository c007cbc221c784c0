#include "model/import/node_topology.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "model/import/readers.hpp"

namespace shmemu {

std::vector<std::vector<int>> NodeTopology::islands() const {
  std::vector<std::vector<int>> out;
  std::vector<size_t> island_of(gpus.size(), gpus.size());
  auto links = [&](int a, int b) { return nvlinks[static_cast<size_t>(a)][static_cast<size_t>(b)]; };
  int n = static_cast<int>(gpus.size());
  for (int g = 0; g < n; ++g) {
    if (island_of[static_cast<size_t>(g)] < gpus.size()) continue;
    std::vector<int> island{g};
    island_of[static_cast<size_t>(g)] = out.size();
    for (size_t i = 0; i < island.size(); ++i)
      for (int other = 0; other < n; ++other)
        if (links(island[i], other).value_or(0) > 0 && island_of[static_cast<size_t>(other)] == gpus.size()) {
          island_of[static_cast<size_t>(other)] = out.size();
          island.push_back(other);
        }
    std::sort(island.begin(), island.end());
    out.push_back(island);
  }
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      if (island_of[static_cast<size_t>(a)] != island_of[static_cast<size_t>(b)] && !links(a, b)) return {};
  return out;
}

std::vector<int> NodeTopology::unused_nics() const {
  std::vector<int> out;
  if (std::any_of(gpus.begin(), gpus.end(), [](const Gpu& g) { return g.to_nic.empty(); })) return out;
  for (int n = 0; n < static_cast<int>(nics.size()); ++n)
    if (std::none_of(gpus.begin(), gpus.end(),
                     [&](const Gpu& g) { return std::count(g.nics.begin(), g.nics.end(), n) > 0; }))
      out.push_back(n);
  return out;
}

std::optional<double> NodeTopology::network_of(const Gpu& gpu) const {
  double sum = 0;
  for (int n : gpu.nics) {
    if (!nics[static_cast<size_t>(n)].gb_per_s) return {};
    sum += *nics[static_cast<size_t>(n)].gb_per_s;
  }
  return gpu.nics.empty() ? std::nullopt : std::optional(sum);
}

bool NodeTopology::has(const std::string& rule) const {
  return std::any_of(findings.begin(), findings.end(), [&](auto& f) { return f.rule == rule; });
}

NodeTopology read_topology(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw UserError(ExitCode::usage, fmt::format("cannot read '{}'", file.string()));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  NodeTopology t = text.find("<system") != std::string::npos ? import::read_nccl_xml(text, file.string())
                                                             : import::read_matrix(text, file.string());
  import::choose_nics(t);
  return t;
}

namespace import {

// The nearest adapters of each GPU. GPUs with the same nearest ones share them all.
void choose_nics(NodeTopology& t) {
  std::map<std::vector<int>, int> sharers;
  for (auto& gpu : t.gpus) {
    gpu.nics.clear();
    if (gpu.to_nic.empty()) continue;
    auto nearest = *std::min_element(gpu.to_nic.begin(), gpu.to_nic.end());
    for (int n = 0; n < static_cast<int>(gpu.to_nic.size()); ++n)
      if (gpu.to_nic[static_cast<size_t>(n)] == nearest) gpu.nics.push_back(n);
    ++sharers[gpu.nics];
  }
  for (auto& [nics, gpus] : sharers)
    if (nics.size() > 1)
      t.findings.push_back(
          {"import.assumed", fmt::format("adapters {} to {} are equally near to {} GPU{}: tie rule: all of "
                                         "them are used in turn, by queue pair",
                                         nics.front(), nics.back(), gpus, gpus == 1 ? "" : "s")});
}

}  // namespace import
}  // namespace shmemu
