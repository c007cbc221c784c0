#include "deepep/run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "deepep/internode.hpp"
#include "deepep/intranode.hpp"
#include "deepep/low_latency.hpp"

namespace shmemu::deepep {
namespace {

std::vector<Time> starts_of(const Setup& s, const std::vector<double>& arrivals_us) {
  std::vector<Time> starts;
  Random random(s.seed + 17);
  for (int r = 0; r < s.ep; ++r)
    starts.push_back(Time::from_us(arrivals_us.empty()
                                       ? static_cast<double>(random.below(1 << 20)) / (1 << 20) * s.skew_us
                                       : arrivals_us[static_cast<size_t>(r)]));
  return starts;
}

// Barriers and, before a combine, the reverse scan over the heads of each channel's tokens.
Time notify_time(const Costs& c, const Setup& s, const Routing& routing, int nodes, bool combine) {
  if (nodes == 1) return c.nvl.barriers;
  if (!combine) return c.ht.barriers;
  int most = 0, channels = s.sms / 2;
  for (int r = 0; r < s.ep; ++r) most = std::max(most, routing.tokens(r));
  return std::max(c.ht.barriers, c.ht.memory_step * ((most + channels - 1) / channels));
}

void kernel_spans(Spans* spans, const OpResult& op, Time offset) {
  if (!spans) return;
  for (size_t r = 0; r < op.samples.size(); ++r) {
    const RankTimes& t = op.samples[r];
    int rank = static_cast<int>(r);
    auto add = [&](const char* track, const std::string& name, Time from, Time to) {
      if (to > from) spans->push_back({rank, track, name, offset + from, offset + to, 0, -1});
    };
    if (t.notify > Time{}) add("kernel", "notify", t.start, t.start + t.notify);
    Time shift = t.notify;
    add("kernel", op.name, t.start + shift, t.end + shift);
    add("phases", "send", t.start + shift, t.issued + shift);
    add("phases", "wait for data", t.issued + shift, t.arrived + shift);
    add("phases", "forward", t.arrived + shift, t.forwarded + shift);
    add("phases", "receive", t.forwarded + shift, t.end + shift);
  }
}

}  // namespace

Results run(const Platform& platform, const Costs& costs, const Setup& setup, const Routing* routing, Spans* spans) {
  check(setup, platform);
  int nodes = nodes_of(setup, platform);
  Routing generated;
  if (!routing) generated = generate(setup, nodes), routing = &generated;
  SHMEMU_ASSERT(routing->ranks() == setup.ep && routing->experts == setup.experts,
                "a routing for other ranks or experts");
  if (setup.ll()) return LowLatency(platform, costs, setup, *routing).run(spans);

  Channels channels(*routing, setup.ep, ranks_per_node(setup, platform), setup.sms / 2);
  std::vector<Time> starts = starts_of(setup, setup.arrivals_us);
  std::vector<Time> back = setup.combine_arrivals_us.empty() ? starts : starts_of(setup, setup.combine_arrivals_us);
  Results out;
  out.ops.push_back(
      (nodes > 1 ? internode_dispatch : intranode_dispatch)(platform, costs, setup, channels, starts, out.events));
  out.ops.push_back(
      (nodes > 1 ? internode_combine : intranode_combine)(platform, costs, setup, channels, back, out.events));
  Time offset;
  for (OpResult& op : out.ops) {
    if (setup.notify_in_time)
      for (RankTimes& t : op.samples) t.notify = notify_time(costs, setup, *routing, nodes, op.name == "combine");
    kernel_spans(spans, op, offset);
    for (const RankTimes& t : op.samples) offset = std::max(offset, t.end + t.notify);
  }
  return out;
}

}  // namespace shmemu::deepep
