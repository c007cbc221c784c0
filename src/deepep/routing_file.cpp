#include "deepep/routing_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "deepep/hdf5_array.hpp"
#include "deepep/npy.hpp"

namespace shmemu::deepep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

[[noreturn]] void refuse_file(const fs::path& file, const std::string& what) {
  throw UserError(ExitCode::usage, fmt::format("{}: {}", file.string(), what));
}
[[noreturn]] void refuse_line(const fs::path& file, size_t line, const std::string& what) {
  throw UserError(ExitCode::usage, fmt::format("{}:{}: {}", file.string(), line, what));
}

struct Rows {  // tokens in the order of the file
  int topk = 0, experts = 0;
  std::vector<int16_t> picks;
  std::vector<int> rank;  // of each token; empty: the file does not say
  std::vector<std::string> notes;
  size_t count() const { return topk ? picks.size() / static_cast<size_t>(topk) : 0; }
};

int16_t expert_of(int64_t value, const std::string& where) {
  if (value < -1 || value > INT16_MAX)
    throw UserError(ExitCode::usage, fmt::format("{}: expert {} is no expert number (-1 means none)", where, value));
  return static_cast<int16_t>(value);
}

Rows rows_of_array(const fs::path& file, const Npy& npy) {
  if (npy.shape.size() != 2 && npy.shape.size() != 3)
    refuse_file(file,
                fmt::format("has {} dimensions; topk_idx is [tokens, k] or [ranks, tokens, k]", npy.shape.size()));
  Rows rows;
  rows.topk = static_cast<int>(npy.shape.back());
  if (!rows.topk || npy.values.empty()) refuse_file(file, "holds no token");
  for (size_t i = 0; i < npy.values.size(); ++i)
    rows.picks.push_back(
        expert_of(npy.values[i], fmt::format("{}: row {}", file.string(), i / static_cast<size_t>(rows.topk))));
  if (npy.shape.size() == 3)
    for (size_t i = 0; i < rows.count(); ++i) rows.rank.push_back(static_cast<int>(i / npy.shape[1]));
  return rows;
}

Rows rows_of_json_lines(const fs::path& file, const RoutingRequest& request) {
  std::ifstream in(file);
  if (!in) refuse_file(file, "cannot be read");
  Rows rows;
  std::optional<int> layer = request.layer;
  std::set<int> layers;
  size_t number = 0, ranked = 0;
  double worst_sum = 1;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    json j;
    try {
      j = json::parse(line);
    } catch (const json::parse_error& e) {
      refuse_line(file, number, fmt::format("no JSON at byte {}; the file may be cut off here", e.byte));
    }
    try {
      if (j.value("type", "route") == "meta") {
        rows.topk = j.value("top_k", 0), rows.experts = j.value("num_experts", 0);
        continue;
      }
      int at = j.value("layer", 0);
      layers.insert(at);
      if (!layer) layer = at;
      if (at != *layer) continue;
      const json& ids = j.at("topk_ids");
      if (!rows.topk) rows.topk = static_cast<int>(ids.size());
      if (static_cast<int>(ids.size()) != rows.topk)
        refuse_line(file, number,
                    fmt::format("{} experts, top-{} before; every token selects equally many (pad with -1)", ids.size(),
                                rows.topk));
      std::set<int64_t> seen;
      for (const json& id : ids) {
        auto value = id.get<int64_t>();
        if (value >= 0 && !seen.insert(value).second)
          refuse_line(file, number, fmt::format("expert {} twice in one token", value));
        if (rows.experts && value >= rows.experts)
          refuse_line(file, number,
                      fmt::format("expert {}, but the meta line says num_experts {}", value, rows.experts));
        rows.picks.push_back(expert_of(value, fmt::format("{}:{}", file.string(), number)));
      }
      if (j.contains("rank")) rows.rank.push_back(j.at("rank").get<int>()), ++ranked;
      if (j.contains("topk_weights")) {
        double sum = 0;
        for (const json& w : j.at("topk_weights")) sum += w.get<double>();
        if (std::abs(sum - 1) > std::abs(worst_sum - 1)) worst_sum = sum;
      }
    } catch (const json::exception& e) {
      refuse_line(file, number, fmt::format("a route line has integers 'layer' and 'topk_ids': {}", e.what()));
    }
  }
  if (!rows.count()) {
    if (layers.empty()) refuse_file(file, "holds no route line");
    refuse_file(file, fmt::format("holds nothing of layer {}; logged: {}", *layer, fmt::join(layers, ", ")));
  }
  if (ranked && ranked != rows.count())
    refuse_file(file, fmt::format("{} of {} tokens name a rank; all or none must", ranked, rows.count()));
  if (layers.size() > 1 && !request.layer)
    rows.notes.push_back(fmt::format("assumed layer {} of {} logged (--layer)", *layer, layers.size()));
  if (std::abs(worst_sum - 1) > 0.01)
    rows.notes.push_back(fmt::format(
        "weights of a token add up to {:.3f}, not 1; left as they are, times do not depend on them", worst_sum));
  return rows;
}

// Selections per expert, no tokens: tokens are drawn so that each expert is selected as often as the file says,
// independently otherwise (Pareto sampling). Distinct ranks of real tokens can differ by some percent.
struct Counts {
  std::vector<std::string> names;  // of the columns behind `expert`
  std::vector<std::vector<uint64_t>> columns;
};

Counts read_counts(const fs::path& file) {
  std::ifstream in(file);
  if (!in) refuse_file(file, "cannot be read");
  auto cells_of = [](const std::string& line) {
    std::vector<std::string> cells;
    std::stringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    return cells;
  };
  std::string line;
  std::getline(in, line);
  Counts out;
  out.names = cells_of(line);
  if (out.names.size() < 2 || out.names[0] != "expert")
    refuse_line(file, 1, "the header must be expert,<name of a count>,…");
  out.names.erase(out.names.begin());
  out.columns.resize(out.names.size());
  for (size_t number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    std::vector<std::string> cells = cells_of(line);
    if (cells.size() != out.names.size() + 1)
      refuse_line(file, number, fmt::format("{} cells, the header has {}", cells.size(), out.names.size() + 1));
    if (cells[0] != std::to_string(out.columns[0].size()))
      refuse_line(file, number, fmt::format("expert '{}', {} was due", cells[0], out.columns[0].size()));
    for (size_t i = 0; i < out.columns.size(); ++i) {
      const std::string& cell = cells[i + 1];
      if (cell.empty() || cell.size() > 15 || cell.find_first_not_of("0123456789") != std::string::npos)
        refuse_line(file, number, fmt::format("'{}' is no count of selections", cell));
      out.columns[i].push_back(std::stoull(cell));
    }
  }
  return out;
}

constexpr int kDrawn = 8;  // experts per token

// `counts` may hold another column's selections and a run of one identical choice on top: then that run is returned.
size_t run_on_top(const std::vector<uint64_t>& counts, const std::vector<uint64_t>& rest, std::vector<int>& choice) {
  choice.clear();
  uint64_t more = 0;
  for (size_t e = 0; e < counts.size(); ++e) {
    if (counts[e] == rest[e]) continue;
    if (counts[e] < rest[e] || (more && counts[e] - rest[e] != more)) return 0;
    more = counts[e] - rest[e];
    choice.push_back(static_cast<int>(e));
  }
  return static_cast<int>(choice.size()) == kDrawn ? more : 0;
}

void draw(Rows& rows, const std::vector<uint64_t>& counts, uint64_t seed) {
  double total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
  std::vector<double> odds;
  for (uint64_t c : counts) {
    double p = std::min(static_cast<double>(c) * kDrawn / total, 0.9999);
    odds.push_back(std::max(p / (1 - p), 1e-12));
  }
  Random random(seed * 31 + 5);
  std::vector<std::pair<double, int>> order(counts.size());
  for (auto t = static_cast<size_t>(total / kDrawn + 0.5); t; --t) {
    for (size_t e = 0; e < order.size(); ++e) {
      double u = (static_cast<double>(random.next() >> 11) + 0.5) / 9007199254740992.0;
      order[e] = {u / (1 - u) / odds[e], static_cast<int>(e)};
    }
    std::partial_sort(order.begin(), order.begin() + kDrawn, order.end());
    for (int j = 0; j < kDrawn; ++j) rows.picks.push_back(static_cast<int16_t>(order[static_cast<size_t>(j)].second));
  }
}

Rows rows_of_counts(const fs::path& file, const RoutingRequest& request) {
  Counts counts = read_counts(file);
  auto experts = static_cast<int>(counts.columns[0].size());
  if (experts < kDrawn) refuse_file(file, fmt::format("{} experts; tokens are drawn with top-{}", experts, kDrawn));
  if (experts % request.ranks)
    refuse_file(file,
                fmt::format("{} experts cannot be shared out equally over {} ranks (--ep)", experts, request.ranks));
  size_t wanted = counts.names.size() - 1;
  if (!request.column.empty()) {
    wanted =
        static_cast<size_t>(std::find(counts.names.begin(), counts.names.end(), request.column) - counts.names.begin());
    if (wanted == counts.names.size())
      refuse_line(file, 1, fmt::format("no column '{}'; there are {}", request.column, fmt::join(counts.names, ", ")));
  }
  Rows out;
  for (size_t i = 0; i < counts.names.size(); ++i) {
    const auto& column = counts.columns[i];
    uint64_t total = std::accumulate(column.begin(), column.end(), uint64_t{0});
    if (!total) refuse_file(file, fmt::format("column {} holds no selection", counts.names[i]));
    Rows rows;
    rows.topk = kDrawn, rows.experts = experts;
    std::vector<int> choice;
    size_t run = 0;
    for (size_t other = 0; other < counts.names.size() && !run; ++other)
      if ((run = run_on_top(column, counts.columns[other], choice))) {
        for (size_t t = 0; t < run; ++t) rows.picks.insert(rows.picks.end(), choice.begin(), choice.end());
        draw(rows, counts.columns[other], request.seed);
      }
    if (!run) draw(rows, column, request.seed);
    Routing drawn;
    drawn.experts = experts, drawn.topk = kDrawn, drawn.picks = {rows.picks};
    uint64_t rank_most = 0;
    for (int r = 0; r < request.ranks; ++r) {
      auto first = column.begin() + r * (experts / request.ranks);
      rank_most = std::max(rank_most, std::accumulate(first, first + experts / request.ranks, uint64_t{0}));
    }
    double mean = static_cast<double>(total);
    out.notes.push_back(fmt::format(
        "{}{}: hottest rank {:.2f}, hottest expert {:.2f} of the mean; about {:.2f} ranks per token ({} tokens of "
        "top-{} drawn{})",
        counts.names[i], i == wanted ? " (used)" : "", static_cast<double>(rank_most) * request.ranks / mean,
        static_cast<double>(*std::max_element(column.begin(), column.end())) * experts / mean,
        skew_of(drawn, request.ranks, 8).ranks_per_token, rows.count(), kDrawn,
        run ? fmt::format(", {} of them one identical choice", run) : std::string()));
    if (i == wanted) out.topk = rows.topk, out.experts = rows.experts, out.picks = std::move(rows.picks);
  }
  return out;
}

// Rows at the beginning that all select the same: an engine's profiling run, no traffic.
size_t warmup_of(const Rows& rows) {
  auto k = static_cast<size_t>(rows.topk);
  size_t n = 1;
  while (n < rows.count() && std::equal(rows.picks.begin(), rows.picks.begin() + rows.topk,
                                        rows.picks.begin() + static_cast<std::ptrdiff_t>(n * k)))
    ++n;
  constexpr size_t kLeast = 8;  // fewer may be chance
  return n >= kLeast ? n : 0;
}

std::string skew_text(const Rows& rows, size_t from, int ranks) {
  Routing one;
  one.experts = rows.experts, one.topk = rows.topk;
  one.picks = {{rows.picks.begin() + static_cast<std::ptrdiff_t>(from) * rows.topk, rows.picks.end()}};
  Skew s = skew_of(one, ranks, 8);
  return fmt::format("hottest rank {:.2f}, hottest expert {:.2f} of the mean, {:.2f} ranks per token", s.hottest_rank,
                     s.hottest_expert, s.ranks_per_token);
}

}  // namespace

RoutingFile read_routing(const fs::path& file, const RoutingRequest& request) {
  std::string kind = file.extension();
  Rows rows;
  if (kind == ".npy") {
    rows = rows_of_array(file, read_npy(file));
  } else if (kind == ".h5" || kind == ".hdf5") {
    rows = rows_of_array(file, read_hdf5(file, request.column.empty() ? "topk_idx" : request.column));
  } else if (kind == ".jsonl" || kind == ".json") {
    rows = rows_of_json_lines(file, request);
  } else if (kind == ".csv") {
    rows = rows_of_counts(file, request);
  } else {
    refuse_file(file, "a routing is .npy or .h5 (topk_idx), .jsonl (a line per token) or .csv (selections per expert)");
  }
  RoutingFile out;
  out.notes = rows.notes;
  int most = *std::max_element(rows.picks.begin(), rows.picks.end()) + 1;
  if (request.experts) {
    if (rows.experts && rows.experts != *request.experts)
      refuse_file(file, fmt::format("is of {} experts, --experts says {}", rows.experts, *request.experts));
    rows.experts = *request.experts;
  }
  if (!rows.experts) {
    rows.experts = (most + request.ranks - 1) / request.ranks * request.ranks;
    out.notes.push_back(fmt::format("assumed {} experts: the file says none, the largest number is {} (--experts)",
                                    rows.experts, most - 1));
  }
  if (most > rows.experts) refuse_file(file, fmt::format("selects expert {}, there are {}", most - 1, rows.experts));
  if (rows.experts % request.ranks)
    refuse_file(
        file, fmt::format("{} experts cannot be shared out equally over {} ranks (--ep)", rows.experts, request.ranks));

  size_t warmup = warmup_of(rows), from = 0;
  if (warmup && warmup < rows.count()) {
    out.notes.push_back(
        fmt::format("the first {} rows are one identical choice, as of an engine's profiling run; {} (--drop-warmup)",
                    warmup, request.drop_warmup ? "dropped" : "kept"));
    out.notes.push_back("all rows: " + skew_text(rows, 0, request.ranks));
    out.notes.push_back("without them: " + skew_text(rows, warmup, request.ranks));
    if (request.drop_warmup) from = warmup;
  }

  Routing& r = out.routing;
  r.experts = rows.experts, r.topk = rows.topk;
  r.picks.resize(static_cast<size_t>(request.ranks));
  size_t left = rows.count() - from;
  size_t each = request.tokens ? static_cast<size_t>(*request.tokens)
                               : (left + static_cast<size_t>(request.ranks) - 1) / static_cast<size_t>(request.ranks);
  if (rows.rank.empty()) {
    if (request.tokens && left < each * static_cast<size_t>(request.ranks))
      refuse_file(file, fmt::format("has {} tokens, {} ranks of {} want {}; leave --tokens out to use what is there",
                                    left, request.ranks, each, each * static_cast<size_t>(request.ranks)));
    if (left < static_cast<size_t>(request.ranks))
      refuse_file(file, fmt::format("has {} tokens for {} ranks", left, request.ranks));
    out.notes.push_back(
        fmt::format("assumed: rows go to ranks in order, {} each; experts lie in order, {} per rank; one batch", each,
                    rows.experts / request.ranks));
  }
  for (size_t i = from; i < rows.count(); ++i) {
    size_t rank = rows.rank.empty() ? (i - from) / each : static_cast<size_t>(rows.rank[i]);
    if (rank >= r.picks.size()) {
      if (rows.rank.empty()) break;  // --tokens takes fewer than there are
      refuse_file(file, fmt::format("row {} is of rank {}, --ep says {}", i, rank, request.ranks));
    }
    auto& picks = r.picks[rank];
    if (!rows.rank.empty() && request.tokens && picks.size() >= each * static_cast<size_t>(rows.topk)) continue;
    picks.insert(picks.end(), rows.picks.begin() + static_cast<std::ptrdiff_t>(i) * rows.topk,
                 rows.picks.begin() + static_cast<std::ptrdiff_t>(i + 1) * rows.topk);
  }
  return out;
}

}  // namespace shmemu::deepep
