#include "report/transfer_limits.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace shmemu {
namespace {

// A note is worth its line when the transfers take this part of the run.
constexpr int kPart = 3;

double gb_per_s(uint64_t bytes, Time t) { return t.ps ? static_cast<double>(bytes) / t.ns() : 0; }

}  // namespace

void TransferLimits::add(const Op& op, uint64_t bytes, Time from, Time to) {
  if (op.issuer == op.target || !bytes) return;
  auto count = [&](Sum& s) {
    s.bytes += bytes;
    ++s.transfers;
    s.each += to - from;
    if (to > s.until) s.busy += to - std::max(from, s.until), s.until = to;
    if (bytes >= s.most) s.most = bytes, s.site = op.site, s.kind = op.kind;
  };
  count(all_[{op.issuer, op.target}]);
  if (bytes >= kLarge && !(op.flags & Op::kCopyEngine)) count(loops_[{op.issuer, op.target}]);
}

std::optional<Finding> TransferLimits::issue_limited(const Limit& limit) const {
  const Sum* most = nullptr;
  std::pair<PeId, PeId> pair;
  for (auto& [key, sum] : loops_)
    if (!limit.over_network(key.first, key.second) && (!most || sum.busy > most->busy)) most = &sum, pair = key;
  if (!most || most->busy * kPart < limit.end) return {};
  double reached = gb_per_s(most->bytes, most->busy), each = gb_per_s(most->bytes, most->each);
  double link = limit.link.bytes_per_second * 1e-9;
  if (reached * 2 > link) return {};
  Finding f;
  f.rule = "perf.issue-limited";
  f.note = true;
  f.what = fmt::format("the blocks that copy are too few for the link: PE {} reaches {:.0f} of {:.0f} GB/s to PE {}",
                       pair.first.value, reached, link, pair.second.value);
  f.values = fmt::format("{} transfers of {} on average, {:.1f} at a time, {:.0f} GB/s each; they take {} of {}",
                         most->transfers, bytes_to_text(most->bytes / most->transfers), reached / each, each,
                         to_text(most->busy), to_text(limit.end));
  f.remedy = fmt::format("let about {:.0f} blocks copy at once; they are taken from computing", std::ceil(link / each));
  f.first = f.second = limit.place(pair.first, most->site, most->kind);
  return f;
}

std::optional<Finding> TransferLimits::nic_imbalance(const Limit& limit) const {
  struct Load {
    uint64_t bytes = 0, most = 0, site = 0;
    PeId by;
    OpKind kind = OpKind::none;
  };
  std::map<int, std::map<int, Load>> loads;  // by node and adapter
  for (auto& [pair, sum] : all_) {
    if (!limit.over_network(pair.first, pair.second)) continue;
    for (PeId end : {pair.first, pair.second}) {
      Load& l = loads[limit.node(end)][limit.adapter(end)];
      l.bytes += sum.bytes;
      if (sum.bytes >= l.most) l.most = sum.bytes, l.site = sum.site, l.by = pair.first, l.kind = sum.kind;
    }
  }
  for (auto& [node, adapters] : loads) {
    uint64_t total = 0;
    auto worst = adapters.begin();
    for (auto at = adapters.begin(); at != adapters.end(); ++at) {
      total += at->second.bytes;
      if (at->second.bytes > worst->second.bytes) worst = at;
    }
    auto count = static_cast<uint64_t>(limit.adapters(node));
    const Load& l = worst->second;
    Time busy = limit.wire.time_for(l.bytes / 2);  // both directions were counted
    if (count < 2 || l.bytes * count < 2 * total || busy * kPart < limit.end) continue;
    Finding f;
    f.rule = "perf.nic-imbalance";
    f.note = true;
    f.what = fmt::format("one adapter of node {} carries {:.0f} % of its traffic; {} share it equally at best", node,
                         100.0 * static_cast<double>(l.bytes) / static_cast<double>(total), count);
    f.values = fmt::format("adapter {}: {} of {}; it is busy for {} of {}", worst->first, bytes_to_text(l.bytes),
                           bytes_to_text(total), to_text(busy), to_text(limit.end));
    f.remedy = "send through the PE whose GPU is nearest to the data's, not through one leader of the node";
    f.first = f.second = limit.place(l.by, l.site, l.kind);
    return f;
  }
  return {};
}

std::vector<Finding> TransferLimits::findings(const Limit& limit) const {
  std::vector<Finding> found;
  if (auto f = issue_limited(limit)) found.push_back(std::move(*f));
  if (auto f = nic_imbalance(limit)) found.push_back(std::move(*f));
  return found;
}

}  // namespace shmemu
