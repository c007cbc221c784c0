// Observing interactions: executed as events, when everything with an earlier time has been applied.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "device/atomics.hpp"
#include "device/machine.hpp"
#include "device/strided.hpp"
#include "shmemu/abi.h"
#include "transports/router.hpp"

namespace shmemu::device {
namespace {

// After so many fruitless polls in a row the modelled program polls at growing intervals, so that a time-out of its own
// fires and a loop that cannot end is noticed. Polling loops of real programs end long before.
constexpr uint32_t kPatience = 1'000'000;

}  // namespace

void Machine::execute(Group g) {
  ++counters_.observations;
  Actor& first = leader(g);
  const Op op = first.stop;
  Time now = queue_.now();
  for_each(g, [&](Actor& a) { a.time = std::max(a.time, now); });
  switch (op.kind) {
    case OpKind::order:
      for_each(g, [](Actor& a) { a.fresh_value = true; });
      return resume(g, now);
    case OpKind::clock:
      for_each(g, [&](Actor& a) { a.result = static_cast<uint64_t>(now.ps), a.fresh_value = false; });
      return resume(g, now + gpu_model_.clock_read);
    case OpKind::sleep:
    case OpKind::host_work:
      for_each(g, [](Actor& a) { a.fresh_value = false; });
      return resume(g, now + Time{static_cast<int64_t>(op.value)});
    case OpKind::poll:
      return execute_poll(g);
    case OpKind::test:
      return execute_test(g);
    case OpKind::wait:
    case OpKind::wait_set:
      return execute_wait(g);
    case OpKind::fence:
    case OpKind::quiet:
      return execute_fence(g, op);
    case OpKind::grid_sync:
      return grid_sync(g);
    case OpKind::stream_wait: {
      CommandRef command = host_waits_.at(g.host);
      host_waits_.erase(g.host);
      if (!command || command->finished) return resume(g, now + platform_.host.api_call);
      command->waiters.push_back(g.host);
      return;
    }
    default:
      return execute_memory_op(g, op);
  }
}

// Requests that go through a transport: gets, fetching atomics, and the posted ones of a whole warp, block or host.
void Machine::execute_memory_op(const Group& g, const Op& op) {
  Transit& t = make_transit(g, op.issuer);
  bool together = op.scope != Scope::thread || g.host;
  uint32_t members = 0;
  for_each(g, [&](Actor& a) {
    ++members;
    a.fresh_value = false;
    a.changed = true;
    if (together && !t.pieces.empty()) return;
    Piece piece{a.stop, std::move(a.given)};
    const Op& o = piece.op;
    bool has_source = is_posted(o.kind) && o.kind != OpKind::signal && o.kind != OpKind::atomic;
    bool read_later = o.kind != OpKind::p && !router_.by_load_store(o);  // by the adapter
    if (has_source && !read_later && o.bytes && !piece.payload.size()) take_source(piece);
    t.pieces.push_back(std::move(piece));
  });
  for_each(g, [](Actor& a) { a.given = {}; });
  if (options_.witness && together && !g.host) options_.witness->requested(lanes_of(g), t.pieces.front().op);
  complete(t, members);
  (is_posted(op.kind) || (op.nbi && !t.by_load_store) ? t.resumes_when_issued : t.resumes_when_returned) = true;
  start(t);
}

// ---- waits and polls ----

bool Machine::holds(const Actor& a) const {
  const Op& op = a.stop;
  auto word = [&](uint64_t address, uint64_t bytes) -> uint64_t {
    const std::byte* p = memory_.at(address, bytes);
    return p ? load_bits(p, bytes) : 0;
  };
  switch (op.kind) {
    case OpKind::poll:
      return !op.remote || word(op.remote, op.bytes) != op.value;
    case OpKind::wait:
    case OpKind::test:
      return compare(op.type, op.function, word(op.remote, op.bytes), op.value);
    case OpKind::wait_set: {
      auto* status = reinterpret_cast<const int*>(op.local);
      uint64_t met = 0, asked = 0;
      for (uint64_t i = 0; i < op.elements; ++i) {
        if (status && status[i]) continue;
        ++asked;
        uint64_t value = op.signal ? word(op.signal + i * op.bytes, op.bytes) : op.value;
        met += compare(op.type, op.function, word(op.remote + i * op.bytes, op.bytes), value);
      }
      return asked == 0 || (op.flags == 0 ? met == asked : met > 0);
    }
    default:
      return false;
  }
}

void Machine::execute_wait(const Group& g) {
  Time now = queue_.now();
  Group satisfied = g;
  satisfied.mask = 0;
  bool any = false;
  for_each(g, [&](Actor& a) {
    a.fresh_value = false;
    a.poll_since = now;
    if (!holds(a)) return sleep_on(a, false);
    any = true;
    if (!g.host) satisfied.mask |= 1u << static_cast<Lane&>(a).index;
  });
  if (!any) return;
  Time fence = leader(g).stop.flags & Op::kEndsWithFence ? gpu_model_.fence_gpu : Time{};
  if (fence.ps) empty_l1(g);
  span(satisfied, leader(g).stop, 0, now, now + gpu_model_.l2_load + fence);
  resume(satisfied, now + gpu_model_.l2_load + fence);
}

void Machine::execute_test(const Group& g) {
  Time now = queue_.now();
  Time cost = gpu_model_.poll_interval;
  for_each(g, [&](Actor& a) {
    a.result = holds(a);
    a.fresh_value = false;
    if (a.result || a.changed) {
      a.fruitless = 0, a.changed = false;
    } else {
      cost = std::max(cost, poll_cost(a));
    }
  });
  span(g, leader(g).stop, 0, now, now + cost);
  if (leader(g).fruitless) return poll_again(g, now + cost);
  resume(g, now + cost);
}

Time Machine::poll_cost(Actor& a) {
  if (a.fruitless++ == 0) a.poll_since = queue_.now();
  Time cost = gpu_model_.poll_interval - load_of_poll(a);
  Time elapsed = queue_.now() - a.poll_since;
  bool reads_clock = a.stop.kind == OpKind::poll && (a.stop.flags & SHMEMU_POLL_CLOCK);
  return reads_clock || a.fruitless > kPatience ? std::max(cost, elapsed / 16) : cost;
}

// Lanes that go on from the same poll go on together, as a warp does: their next calls are one request.
// Loads run natively at the beginning of their phase, the GPU's read the word half a round trip before they answer.
// True if the look that has just ended would have read there what the word is now.
bool Machine::seen_by_last_look(const Actor& a) const {
  auto last = last_write_.find(a.stop.remote / WatchTable::kLine);
  return last != last_write_.end() && last->second.when <= queue_.now() - load_of_poll(a) / 2;
}

void Machine::execute_poll(const Group& g) {
  Time now = queue_.now();
  Group on = g;
  on.mask = 0;
  bool any = false;
  for_each(g, [&](Actor& a) {
    bool same_as_loaded = std::exchange(a.fresh_value, true);
    bool made_progress = std::exchange(a.changed, false);
    bool word_changed = a.stop.remote && holds(a);                        // since the loop read it
    bool mixed = a.stop.flags & (SHMEMU_POLL_MIXED | SHMEMU_POLL_CLOCK);  // else the loop does nothing but look
    if ((made_progress && mixed) || word_changed) {
      a.fruitless = 0;
      if (word_changed && !a.is_host() && seen_by_last_look(a)) static_cast<Lane&>(a).credit = load_of_poll(a);
      a.changed = word_changed;  // the loop around this one goes round for a reason
      any = true;
      if (!g.host) on.mask |= 1u << static_cast<Lane&>(a).index;
      return;
    }
    if (!same_as_loaded) return poll_again(group_of(a), now + poll_cost(a));
    sleep_on(a, mixed);
  });
  if (any) resume(on, now);
}

// A fence of gpu scope or wider empties L1.
void Machine::empty_l1(const Group& g) {
  if (Cta* cta = g.block()) cta->l1.clear();
}

void Machine::sleep_on(Actor& a, bool timed) {
  const Op& op = a.stop;
  Cta* cta = group_of(a).block();
  if (op.kind == OpKind::wait_set) {
    watch_.add(a, op.remote, op.bytes * op.elements);
  } else if (!op.remote) {
    watch_.add_unknown(a);
  } else if (cta && cta->owns(op.remote)) {
    cta->local_sleepers.push_back(&a);
  } else {
    watch_.add(a, op.remote, op.bytes);
  }
  if (!timed) return;
  ++polls_pending_;
  queue_.at(queue_.now() + poll_cost(a), Rank::agent, [this, actor = &a, stop = a.stops] {
    --polls_pending_;
    if (actor->stops == stop && actor->state == Actor::State::stopped) wake(*actor, {});
  });
}

// The part of a poll that the loop's own load makes, as counted work of the thread.
Time Machine::load_of_poll(const Actor& a) const {
  if (a.is_host() || a.stop.kind != OpKind::poll) return {};
  const Cta& cta = *static_cast<const Lane&>(a).warp->cta;
  return cta.owns(a.stop.remote) ? Time{} : gpu_model_.l2_load;
}

void Machine::wake(Actor& a, Time delay) {
  delay = std::max(Time{}, delay - load_of_poll(a));
  watch_.remove(a);
  if (Cta* cta = group_of(a).block()) std::erase(cta->local_sleepers, &a);
  a.state = Actor::State::ready;
  Time when = queue_.now() + delay + adverse_pause();
  if (a.stop.kind != OpKind::poll) {
    if (a.stop.flags & Op::kEndsWithFence && a.stop.kind == OpKind::wait) {
      when += gpu_model_.fence_gpu;
      empty_l1(group_of(a));
    }
    span(group_of(a), a.stop, 0, a.time, when, arrived_by(a.stop));
  }
  resume_one(a, when);
}

void Machine::recheck(std::vector<Actor*>& sleepers, Time delay) {
  for (Actor* a : sleepers) {
    if (a->state != Actor::State::stopped || !holds(*a)) continue;
    a->fruitless = 0;
    if (a->stop.kind == OpKind::poll) a->changed = true;
    progress();
    wake(*a, delay);
  }
}

void Machine::recheck_pe(PeId pe) {
  std::vector<Actor*> sleepers;
  watch_.of_pe(pe, false, sleepers);
  recheck(sleepers, gpu_model_.poll_hit);
}

void Machine::memory_changed(PeId pe, uint64_t address, uint64_t bytes) {
  wake_watchers(pe, address, bytes, gpu_model_.poll_hit);
}

void Machine::wake_watchers(PeId pe, uint64_t address, uint64_t bytes, Time delay) {
  progress();
  std::vector<Actor*> sleepers;
  watch_.on_lines(address, bytes, sleepers);
  watch_.of_pe(pe, true, sleepers);
  recheck(sleepers, delay);
}

void Machine::note_write(Actor& actor, uint64_t address, uint64_t bytes, bool changed) {
  if (!changed) return;
  actor.changed = true;
  last_write_[address / WatchTable::kLine] = {OpKind::order, actor.pe, actor.stop.site, queue_.now(), 0};
  wake_watchers(actor.pe, address, bytes, gpu_model_.l2_load);  // perftest's grid barrier: 0.13 to 0.2 µs
}

Time Machine::wait_for_word(uint64_t address) {
  constexpr size_t kManyWords = 4096;  // words whose last atomic is over are forgotten when there are more
  if (word_until_.size() > kManyWords) std::erase_if(word_until_, [&](auto& w) { return w.second <= queue_.now(); });
  Time& until = word_until_[address];
  Time wait = std::max(Time{}, until - queue_.now());
  until = queue_.now() + wait + gpu_model_.same_address_atomic;
  return wait;
}

// ---- ordering ----

void Machine::execute_fence(const Group& g, const Op& op) {
  Time now = queue_.now();
  for_each(g, [](Actor& a) { a.fresh_value = false; });
  recheck_pe(leader(g).pe);
  empty_l1(g);
  bool gpu_scope = op.kind == OpKind::fence && op.function <= 1;  // __threadfence does not wait for remote stores
  if (gpu_scope) {
    Time cost = op.function == 0 ? gpu_model_.warp_op : gpu_model_.fence_gpu;
    span(g, op, 0, now, now + cost);
    return resume(g, now + cost);
  }
  Host& host = *hosts_[static_cast<size_t>(leader(g).pe.value)].first;
  Ordering order{gpu_model_.fence_system, true, {}};
  bool nvshmem = op.kind == OpKind::quiet || op.function == Op::kNvshmemFence;
  if (g.host)
    order.cost = platform_.host.api_call;
  else if (nvshmem)
    order = router_.order(host.pe, op.kind);
  // A fence orders operations to the same PE, it completes none (OpenSHMEM 1.5, 9.10.1). Over NVLink the library waits
  // all the same; under adverse schedules later operations are held back instead.
  if (options_.adverse && op.kind == OpKind::fence && !g.host && !op.flags) {
    g.block()->fence_mark = g.block()->outstanding.mark();
    span(g, op, 0, now, now + gpu_model_.fence_system);
    return resume(g, now + gpu_model_.fence_system);
  }
  // of one queue pair to one PE: only what went there
  std::optional<Ordering> of_queue = op.qp >= Op::kFirstQp && !g.host ? router_.order_of_queue() : std::nullopt;
  if (of_queue) {
    Drain drain{g, {}, *of_queue, now, op};
    drain.behind.emplace_back(&g.block()->stores, g.block()->stores.mark());
    Outstanding& queue = host.queues[{op.target, op.qp}];
    drain.behind.emplace_back(&queue, queue.mark());
    return await(std::move(drain));
  }
  // over load/store paths a block waits for its own stores, over the network for all operations of its PE
  Drain drain{g, {}, order, now, op};
  if (g.host || op.flags) {
    drain.behind.emplace_back(&host.outstanding, host.outstanding.mark());
  } else {
    drain.behind.emplace_back(&g.block()->stores, g.block()->stores.mark());
    if (nvshmem && order.waits) drain.behind.emplace_back(&host.network, host.network.mark());
  }
  await(std::move(drain));
}

void Machine::await(Drain drain) {
  std::erase_if(drain.behind, [](auto& b) { return b.first->drained(b.second); });
  if (drain.behind.empty()) return end_drain(drain);
  drains_[drain.behind.front().first].push_back(std::move(drain));
}

void Machine::end_drain(const Drain& d) {
  Time end = std::max(queue_.now() + d.cost.cost, d.since + d.cost.least);
  span(d.group, d.op, 0, d.since, end);
  resume(d.group, end);
}

// Acknowledgements have come in: those who waited for them go on, in the order in which they asked.
void Machine::check_drains(Outstanding& of) {
  auto at = drains_.find(&of);
  if (at == drains_.end()) return;
  std::vector<Drain> ready;
  std::erase_if(at->second, [&](const Drain& d) {
    if (!of.drained(d.behind.front().second)) return false;
    ready.push_back(d);
    return true;
  });
  if (at->second.empty()) drains_.erase(at);
  for (Drain& d : ready) await(std::move(d));
}

void Machine::grid_sync(const Group& g) {
  Grid& grid = *g.block()->grid;
  Barrier& b = grid.grid_barrier;
  for_each(g, [&](Actor& a) {
    b.waiting.push_back(static_cast<Lane*>(&a));
    a.fresh_value = false;
  });
  b.latest = std::max(b.latest, queue_.now());
  uint32_t expected = 0;
  for (auto& cta : grid.live) expected += cta->live;
  if (grid.next_block < grid.blocks() || b.waiting.size() < expected) return;
  std::vector<Lane*> released = std::move(b.waiting);
  if (options_.witness) options_.witness->met(released);
  b = {};
  Time when =
      queue_.now() + gpu_model_.grid_barrier + gpu_model_.grid_barrier_per_cta * static_cast<int64_t>(grid.blocks());
  recheck_pe(grid.pe);
  queue_.at(when, Rank::agent, [this, released = std::move(released)] { run_lanes(released); });
}

// ---- going on ----

void Machine::resume(const Group& g, Time when) {
  queue_.at(when, Rank::agent, [this, g] { resume_now(g); });
}

void Machine::resume_now(const Group& g) {
  if (g.host) {
    g.host->state = Actor::State::ready;
    return run_host(*g.host);
  }
  if (!g.cta) {
    for_each(g, [](Actor& a) { a.state = Actor::State::ready; });
    g.warp->runnable |= g.mask;
    return run_warp(*g.warp);
  }
  for (Lane& lane : g.cta->threads)
    if (lane.state == Actor::State::stopped && lane.stop.scope == Scope::block) {
      lane.state = Actor::State::ready;
      lane.warp->runnable |= 1u << lane.index;
    }
  for (Warp& warp : g.cta->warps)
    if (warp.runnable) run_warp(warp);
}

Group Machine::group_of(Actor& a) {
  if (a.is_host()) return {.host = static_cast<Host*>(&a)};
  Lane& lane = static_cast<Lane&>(a);
  return {.warp = lane.warp, .mask = 1u << lane.index};
}

void Machine::resume_one(Actor& a, Time when) { resume(group_of(a), when); }

void Machine::poll_again(const Group& g, Time when) {
  ++polls_pending_;
  queue_.at(when, Rank::agent, [this, g] {
    --polls_pending_;
    resume_now(g);
  });
}

}  // namespace shmemu::device
