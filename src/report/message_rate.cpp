#include "report/message_rate.hpp"

#include <fmt/format.h>

namespace shmemu {

std::optional<Finding> MessageRate::finding(const Limit& limit) const {
  std::map<PeId, Sum> by_issuer;
  for (auto& [pair, sum] : sums_)
    if (limit.over_network(pair.first, pair.second)) {
      by_issuer[pair.first].messages += sum.messages;
      by_issuer[pair.first].bytes += sum.bytes;
      if (Sum& all = by_issuer[pair.first]; sum.votes >= all.votes)
        all.site = sum.site, all.kind = sum.kind, all.votes = sum.votes;
    }
  PeId worst;
  Sum most;
  for (auto& [pe, sum] : by_issuer)
    if (sum.messages > most.messages) worst = pe, most = sum;
  Time busy = limit.request * static_cast<int64_t>(most.messages);
  if (most.messages == 0 || busy * 3 < limit.end) return {};
  Finding f;
  f.rule = "perf.message-rate";
  f.note = true;
  f.what = fmt::format(
      "the number of small messages is what the run waits for: PE {} sends {} of {:.0f} B on average over "
      "the network",
      worst.value, most.messages, static_cast<double>(most.bytes) / static_cast<double>(most.messages));
  f.values = fmt::format("{} takes {:.2f} million/s: {} of {} ({:.0f} %); the wire needs {} for their bytes",
                         limit.what, 1 / limit.request.us(), to_text(busy), to_text(limit.end),
                         100.0 * static_cast<double>(busy.ps) / static_cast<double>(limit.end.ps),
                         to_text(limit.wire.time_for(most.bytes)));
  if (limit.place) f.first = f.second = limit.place(worst, most.site, most.kind);
  f.remedy = "send neighbouring elements with one put: then the run takes about the rest of that time";
  return f;
}

}  // namespace shmemu
