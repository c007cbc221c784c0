// Folding: the posted scalar calls that the lanes of a warp made one after the other here are one warp instruction on
// hardware. Lanes reconverge as hardware does: the lowest call site goes first, with every lane that stands at it.
// 32 lanes that call `p` on one line are one packet.
#include <algorithm>
#include <array>

#include "device/machine.hpp"
#include "transports/router.hpp"

namespace shmemu::device {
void Machine::post(Lane& lane, Op op, Payload payload) {
  lane.changed = true;
  if (options_.recorder) options_.recorder->lane_op(lane, op, &payload, lane.gap);
  if (options_.witness) options_.witness->issued(lane, op);
  charge(lane);
  lane.log.push_back({op, std::move(payload), std::exchange(lane.gap, {})});
}

bool Machine::may_post(const Op& op) const { return router_.by_load_store(op); }

void Machine::fold(Warp& warp, uint32_t mask) {
  std::array<size_t, 32> next{};
  for (;;) {
    const Posted* first = nullptr;
    for (uint32_t m = mask; m; m &= m - 1) {
      int i = __builtin_ctz(m);
      const auto& log = warp.lane(i)->log;
      if (next[static_cast<size_t>(i)] < log.size()) {
        const Posted& entry = log[next[static_cast<size_t>(i)]];
        if (!first || entry.op.site < first->op.site) first = &entry;
      }
    }
    if (!first) break;
    Op key = first->op;
    Group group{.warp = &warp};
    Time when;
    std::vector<Piece> pieces;
    for (uint32_t m = mask; m; m &= m - 1) {
      int i = __builtin_ctz(m);
      Lane& lane = *warp.lane(i);
      size_t& at = next[static_cast<size_t>(i)];
      if (at == lane.log.size()) continue;
      Posted& entry = lane.log[at];
      if (entry.op.site != key.site || entry.op.kind != key.kind || entry.op.target != key.target ||
          entry.op.qp != key.qp)
        continue;
      ++at;
      group.mask |= 1u << i;
      when = std::max(when, lane.time + entry.gap);
      pieces.push_back({entry.op, std::move(entry.payload)});
    }
    Transit& t = make_transit(group, warp.cta->grid->pe);
    t.pieces = std::move(pieces);
    complete(t, static_cast<uint32_t>(t.pieces.size()));
    Time after = when + router_.route(t).issue_time(t);
    for (uint32_t m = group.mask; m; m &= m - 1) warp.lane(__builtin_ctz(m))->time = after;
    queue_.at(when, Rank::agent, [this, transit = &t] { start(*transit); });
  }
  for (uint32_t m = mask; m; m &= m - 1) {
    Lane& lane = *warp.lane(__builtin_ctz(m));
    lane.log.clear();
    lane.time += lane.gap;
  }
}

}  // namespace shmemu::device
