// The matrix of `nvidia-smi topo -m` as people paste it: with spaces or tabs, underline codes, comment or prompt lines
// before, rows of adapters or the legend missing, adapters called NICn or mlx5_n.
#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "model/import/readers.hpp"

namespace shmemu::import {
namespace {

using Near = NodeTopology::Near;

std::vector<std::string> words_of(const std::string& line) {
  std::string clean;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {  // ESC [ … letter
      while (i < line.size() && !std::isalpha(static_cast<unsigned char>(line[i]))) ++i;
      continue;
    }
    clean += line[i];
  }
  std::istringstream in(clean);
  std::vector<std::string> words;
  for (std::string w; in >> w;) words.push_back(w);
  return words;
}

bool is_gpu(const std::string& w) {
  return w.starts_with("GPU") && w.size() > 3 && std::isdigit(static_cast<unsigned char>(w[3]));
}
bool is_nic(const std::string& w) { return w.starts_with("NIC") || w.starts_with("mlx") || w.starts_with("ibp"); }

}  // namespace

NodeTopology read_matrix(const std::string& text, const std::string& file) {
  static const std::map<std::string, Near> nearness{{"X", Near::self},  {"PIX", Near::pix},   {"PXB", Near::pxb},
                                                    {"PHB", Near::phb}, {"NODE", Near::node}, {"SYS", Near::sys}};
  NodeTopology t;
  std::istringstream in(text);
  std::vector<std::string> names;  // of the columns
  std::vector<bool> seen;
  size_t gpus = 0;
  bool pcie_only = text.find("topo -mp") != std::string::npos, links = false;
  for (std::string line; std::getline(in, line);) {
    auto words = words_of(line);
    if (words.empty() || words[0] == "#") continue;
    if (names.empty()) {
      if (!is_gpu(words[0])) continue;  // a prompt
      for (auto& w : words)
        if (is_gpu(w) || is_nic(w)) names.push_back(w);
      while (gpus < names.size() && is_gpu(names[gpus])) ++gpus;
      t.gpus.resize(gpus);
      seen.resize(gpus);
      t.nvlinks.assign(gpus, std::vector<std::optional<int>>(gpus));
      for (size_t n = gpus; n < names.size(); ++n) t.nics.push_back({names[n], {}});
      continue;
    }
    size_t row = 0;
    while (row < gpus && names[row] != words[0]) ++row;
    if (row == gpus) continue;  // an adapter, or the legend
    if (words.size() <= names.size())
      throw UserError(ExitCode::usage,
                      fmt::format("{}: the row of {} has {} cells, {} columns are named; paste it whole", file,
                                  words[0], words.size() - 1, names.size()));
    seen[row] = true;
    for (size_t c = 0; c < names.size(); ++c) {
      const std::string& cell = words[c + 1];
      bool nvlink = cell.starts_with("NV");
      auto near = nearness.find(cell);
      if (!nvlink && near == nearness.end())
        throw UserError(ExitCode::usage,
                        fmt::format("{}: '{}' between {} and {}; known: X, NV#, PIX, PXB, PHB, NODE, SYS", file, cell,
                                    words[0], names[c]));
      if (c >= gpus) {
        t.gpus[row].to_nic.push_back(nvlink ? Near::pix : near->second);
        continue;
      }
      links |= nvlink;
      int count = nvlink ? std::atoi(cell.c_str() + 2) : 0;
      t.nvlinks[row][c] = t.nvlinks[c][row] = count;
    }
    // behind the columns: CPU affinity, NUMA affinity
    if (size_t numa = names.size() + 2; words.size() > numa && std::isdigit(static_cast<unsigned char>(words[numa][0])))
      t.gpus[row].numa = std::atoi(words[numa].c_str());
  }
  if (gpus == 0)
    throw UserError(
        ExitCode::usage,
        fmt::format("{}: neither a matrix of nvidia-smi topo -m (a line that begins with GPU0) nor NCCL's XML", file));
  size_t rows = static_cast<size_t>(std::count(seen.begin(), seen.end(), true));
  if (rows < gpus)
    t.findings.push_back(
        {"import.partial", fmt::format("{} of {} rows of GPUs are there; paste the rest", rows, gpus)});
  if (pcie_only || !links) {
    for (auto& row : t.nvlinks)
      for (auto& cell : row) cell.reset();
    t.findings.push_back(
        {"import.missing", "NVLink is unknown: topo -mp hides it, it is not absent; run nvidia-smi topo -m"});
  } else if (t.nics.empty() || std::any_of(t.nvlinks.begin(), t.nvlinks.end(), [](auto& row) {
               return std::any_of(row.begin(), row.end(), [](auto& cell) { return cell == 0; });
             })) {
    bool pairs = false;
    for (size_t a = 0; a < gpus; ++a)
      for (size_t b = 0; b < gpus; ++b) pairs |= a != b && t.nvlinks[a][b] == 0;
    if (pairs)
      t.findings.push_back({"import.missing",
                            "whether GPUs without NVLink reach each other over PCIe is unknown; run "
                            "nvidia-smi topo -p2p r"});
  }
  if (t.nics.empty())
    t.findings.push_back({"import.missing", "no adapters; name them in the platform's file if there are any"});
  t.findings.push_back({"import.missing", "no speeds: a matrix has none, take those of a GPU's and an adapter's file"});
  return t;
}

}  // namespace shmemu::import
