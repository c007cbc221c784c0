#include "deepep/routing.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"

namespace shmemu::deepep {
namespace {

// Experts in the order of falling score: a uniformly random permutation, drawn as far as it is needed. The nodes of the
// first experts are those with the best scores.
void pick_token(Random& random, const Setup& s, int nodes, int groups, std::vector<int>& order, int16_t* out) {
  int per_node = s.experts / nodes, found = 0, kept = 0;
  uint64_t keep = 0;
  for (int i = 0; i < s.experts && found < s.topk; ++i) {
    auto j = i + static_cast<int>(random.below(static_cast<uint64_t>(s.experts - i)));
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(j)]);
    int expert = order[static_cast<size_t>(i)], node = expert / per_node;
    if (groups < nodes) {
      if (!(keep >> node & 1)) {
        if (kept == groups) continue;
        keep |= uint64_t{1} << node, ++kept;
      }
    }
    out[found++] = static_cast<int16_t>(expert);
  }
  for (; found < s.topk; ++found) out[found] = -1;
}

}  // namespace

Routing generate(const Setup& s, int nodes) {
  Routing r;
  r.experts = s.experts, r.topk = s.topk;
  std::vector<int> order(static_cast<size_t>(s.experts));
  for (int rank = 0; rank < s.ep; ++rank) {
    Random random((s.seed + 1) * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(rank) * 0xd1b54a32d192ed03ull);
    std::iota(order.begin(), order.end(), 0);
    std::vector<int16_t> picks(static_cast<size_t>(s.tokens) * static_cast<size_t>(s.topk));
    for (int t = 0; t < s.tokens; ++t)
      pick_token(random, s, nodes, s.ll() ? nodes : s.groups, order, picks.data() + static_cast<size_t>(t) * s.topk);
    if (s.ll() && picks.size() > 10)  // the script's: the same entry may be masked twice
      for (int i = 0; i < 10; ++i) picks[random.below(picks.size())] = -1;
    r.picks.push_back(std::move(picks));
  }
  return r;
}

Skew skew_of(const Routing& r, int ranks, int ranks_per_node) {
  Skew out;
  std::vector<uint64_t> per_expert(static_cast<size_t>(r.experts)), per_rank(static_cast<size_t>(ranks));
  int local = std::max(1, r.experts / ranks);
  uint64_t distinct_ranks = 0, distinct_nodes = 0;
  std::vector<int> seen;
  for (int rank = 0; rank < r.ranks(); ++rank)
    for (int t = 0; t < r.tokens(rank); ++t, ++out.tokens) {
      seen.clear();
      for (int j = 0; j < r.topk; ++j)
        if (int e = r.token(rank, t)[j]; e >= 0) {
          ++per_expert[static_cast<size_t>(e)], ++per_rank[static_cast<size_t>(e / local)], ++out.selections;
          seen.push_back(e / local);
        }
      std::sort(seen.begin(), seen.end());
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      distinct_ranks += seen.size();
      for (size_t i = 0; i < seen.size(); ++i)
        distinct_nodes += i == 0 || seen[i] / ranks_per_node != seen[i - 1] / ranks_per_node;
    }
  if (!out.tokens || !out.selections) return out;
  auto total = static_cast<double>(out.selections), tokens = static_cast<double>(out.tokens);
  auto over_mean = [&](const std::vector<uint64_t>& v) {
    return static_cast<double>(*std::max_element(v.begin(), v.end())) * static_cast<double>(v.size()) / total;
  };
  out.hottest_rank = over_mean(per_rank), out.hottest_expert = over_mean(per_expert);
  out.ranks_per_token = static_cast<double>(distinct_ranks) / tokens;
  out.nodes_per_token = static_cast<double>(distinct_nodes) / tokens;
  return out;
}

}  // namespace shmemu::deepep
