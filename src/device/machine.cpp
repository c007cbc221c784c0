// Phases: running hosts and warps to their stops, and the private interactions between lanes.
#include "device/machine.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "device/warp_ops.hpp"
#include "transports/router.hpp"

namespace shmemu::device {
namespace {

// If nothing but fruitless polling happens for this long in virtual time, the run is stuck.
constexpr Time kStuckAfter = 100'000'000_us;

}  // namespace

Machine::Machine(EventQueue& queue, const Platform& platform, Router& router, Memory& memory, int gpus, Options options)
    : queue_(queue),
      platform_(platform),
      gpu_model_(platform.gpu),
      router_(router),
      memory_(memory),
      options_(options) {
  for (int i = 0; i < gpus; ++i) gpus_.push_back(std::make_unique<Gpu>(gpu_model_));
}

void Machine::run() {
  for (;;) {
    while (!queue_.empty()) {
      queue_.run_next();
      if (queue_.size() <= polls_pending_ && queue_.now() - last_progress_ > kStuckAfter)
        throw UserError(ExitCode::deadlock,
                        fmt::format("deadlock: for {} of virtual time nothing happened but polls that fail\n{}",
                                    to_text(kStuckAfter), waiting_report()));
    }
    // ordinary stores are not seen when they happen: look once more before giving up
    std::vector<Actor*> sleepers;
    watch_.everyone(sleepers);
    recheck(sleepers, gpu_model_.poll_hit);
    if (queue_.empty()) break;
  }
  if (!all_hosts_done())
    throw UserError(ExitCode::deadlock, "deadlock: every thread waits and nothing can move\n" + waiting_report());
}

void Machine::add_host(Host& host, HostProgram& program, Time start) {
  hosts_.emplace_back(&host, &program);
  host.time = start;
  queue_.at(start, Rank::agent, [this, h = &host] { run_host(*h); });
}

bool Machine::all_hosts_done() const {
  return std::all_of(hosts_.begin(), hosts_.end(), [](auto& h) { return h.first->state == Actor::State::done; });
}

void Machine::run_host(Host& host) {
  ++counters_.phases;
  host.time = std::max(host.time, queue_.now());
  if (options_.witness) options_.witness->resumes(host);
  host.state = Actor::State::running;
  host.gap = {};
  hosts_[static_cast<size_t>(host.pe.value)].second->run(host);
  ++host.stops;
  if (options_.recorder) options_.recorder->host_stop(host, host.stop, stop_until.get(), host.gap);
  if (options_.witness) {
    options_.witness->issued(host, host.stop);
    if (stop_until) options_.witness->awaits(host, *stop_until);
  }
  host.time += host.gap;
  if (host.stop.kind == OpKind::exit) {
    host.state = Actor::State::done;
    progress();
    recheck_pe(host.pe);
    return;
  }
  host.state = Actor::State::stopped;
  if (host.stop.kind == OpKind::stream_wait) host_waits_[&host] = std::exchange(stop_until, nullptr);
  queue_.at(host.time, Rank::agent, [this, h = &host] { execute({.host = h}); });
}

void Machine::run_lane(Lane& lane) {
  ++counters_.lane_runs;
  if (options_.witness) options_.witness->resumes(lane);
  lane.state = Actor::State::running;
  lane.gap = {};
  lane.phase = {};
  lane.warp->cta->grid->program->run(lane);
  ++lane.stops;
  lane.state = Actor::State::stopped;
  if (options_.recorder)
    options_.recorder->lane_op(lane, lane.stop, lane.given.size() ? &lane.given : nullptr, lane.gap);
  if (options_.witness) options_.witness->issued(lane, lane.stop);
  charge(lane);
  // A plain load from a peer is counted as a load from this GPU too, behind the stop.
  if (lane.stop.kind == OpKind::g && lane.stop.flags & Op::kNative)
    lane.credit +=
        chain_time(gpu_model_, {.quarter_loads = 4}, gpu_of(*lane.warp->cta->grid).beyond_l2(*lane.warp->cta->grid));
}

// Counted work becomes time of the lane.
void Machine::charge(Lane& lane) {
  if (lane.work.cycles == 0 && lane.work.quarter_slots == 0) return;
  Grid& grid = *lane.warp->cta->grid;
  const shmemu_work counted = std::exchange(lane.work, {});
  Work work;
  work += counted;
  grid.footprint.add(gpu_model_.l2, counted.bytes, counted.touched);
  Time chain = chain_time(gpu_model_, work, gpu_of(grid).beyond_l2(grid));
  lane.gap += std::max(Time{}, chain - std::exchange(lane.credit, {}));
  lane.phase.quarter_slots += work.quarter_slots;
  lane.phase.bytes += work.bytes;
}

// What the lanes of a phase that began at `from` use together with other warps: they go on when that is served.
void Machine::share(Warp& warp, uint32_t ran, Time from) {
  uint64_t slots = 0, bytes = 0;
  for (uint32_t m = ran; m; m &= m - 1) {
    const Lane& lane = *warp.lane(__builtin_ctz(m));
    slots = std::max(slots, lane.phase.quarter_slots);
    bytes += lane.phase.bytes;
  }
  if (!slots && !bytes) return;
  Grid& grid = *warp.cta->grid;
  Gpu& gpu = gpu_of(grid);
  Time end = gpu.compute.phase_end(warp.cta->sm, queue_.now(), from, slots, bytes, gpu.beyond_l2(grid),
                                   gpu.sharers(warp.cta->sm));
  for (uint32_t m = ran; m; m &= m - 1) {
    Lane& lane = *warp.lane(__builtin_ctz(m));
    lane.time = std::max(lane.time, end);
  }
}

void Machine::run_warp(Warp& warp) {
  ++counters_.phases;
  Cta& cta = *warp.cta;
  uint32_t observing = 0;
  while (warp.runnable) {
    uint32_t ran = std::exchange(warp.runnable, 0);
    Time begin = queue_.now();
    for (uint32_t m = ran; m; m &= m - 1) begin = std::max(begin, warp.lane(__builtin_ctz(m))->time);
    for (uint32_t m = ran; m; m &= m - 1) {
      Lane& lane = *warp.lane(__builtin_ctz(m));
      lane.time = std::max(lane.time, queue_.now());
      run_lane(lane);
    }
    fold(warp, ran);
    share(warp, ran, begin);
    for (uint32_t m = ran; m; m &= m - 1) {
      Lane& lane = *warp.lane(__builtin_ctz(m));
      uint32_t bit = 1u << lane.index;
      switch (lane.stop.kind) {
        case OpKind::exit:
          lane_exit(lane);
          break;
        case OpKind::warp:
          warp.at_warp_op |= bit;
          break;
        case OpKind::barrier:
        case OpKind::arrive:
          arrive(lane);
          break;
        default:
          if (lane.stop.scope == Scope::thread) {
            observing |= bit;
          } else if (lane.stop.scope == Scope::warp) {
            warp.at_group_call |= bit;
          } else {
            arrive(lane);
          }
      }
    }
    complete_warp_ops(warp);
    if (!warp.runnable) complete_active_masks(warp);
  }
  if (warp.at_group_call && warp.at_group_call == warp.live) {
    Time when;
    for (uint32_t m = warp.live; m; m &= m - 1) when = std::max(when, warp.lane(__builtin_ctz(m))->time);
    uint32_t mask = std::exchange(warp.at_group_call, 0);
    if (options_.witness) options_.witness->met(lanes_of({.warp = &warp, .mask = mask}));
    for (uint32_t m = mask; m; m &= m - 1) warp.lane(__builtin_ctz(m))->time = when;
    queue_.at(when, Rank::agent, [this, w = &warp, mask] { execute({.warp = w, .mask = mask}); });
  }
  observe(warp, observing);
  if (!cta.local_sleepers.empty()) {  // a store to shared memory may have answered them
    std::vector<Actor*> sleepers = cta.local_sleepers;
    recheck(sleepers, gpu_model_.warp_op);
  }
  if (cta.live == 0 && !cta.finished) {
    // private interactions let a warp run ahead of the clock: the block ends when its last thread does
    Time end = queue_.now();
    for (const Lane& lane : cta.threads) end = std::max(end, lane.time);
    block_exited(cta, end);
  }
}

// Lanes that stand at the same call make one request, at the time of the latest.
void Machine::observe(Warp& warp, uint32_t mask) {
  while (mask) {
    const Op& first = warp.lane(__builtin_ctz(mask))->stop;
    uint32_t together = 0;
    Time when;
    for (uint32_t m = mask; m; m &= m - 1) {
      Lane& lane = *warp.lane(__builtin_ctz(m));
      if (lane.stop.kind != first.kind || lane.stop.site != first.site || lane.stop.function != first.function ||
          lane.stop.target != first.target)
        continue;
      together |= 1u << lane.index;
      when = std::max(when, lane.time);
    }
    mask &= ~together;
    queue_.at(when, Rank::agent, [this, w = &warp, together] { execute({.warp = w, .mask = together}); });
  }
}

void Machine::lane_exit(Lane& lane) {
  Cta& cta = *lane.warp->cta;
  lane.state = Actor::State::done;
  lane.warp->live &= ~(1u << lane.index);
  --cta.live;
  progress();
  // an exited thread counts as arrived
  for (int id = 0; id < Cta::kBarriers; ++id)
    if (Barrier& b = cta.barriers[static_cast<size_t>(id)]; b.arrived && b.expected == 0) {
      b.latest = std::max(b.latest, lane.time);
      check_barrier(cta, id);
    }
  if (cta.live == 0) recheck_pe(lane.pe);
}

void Machine::arrive(Lane& lane) {
  Cta& cta = *lane.warp->cta;
  bool call = lane.stop.scope == Scope::block;
  int id = call ? Cta::kScopeBarrier : static_cast<int>(lane.stop.value);
  Barrier& b = cta.barriers[static_cast<size_t>(id)];
  b.expected = call ? 0 : static_cast<uint32_t>(lane.stop.compare);
  ++b.arrived;
  b.latest = std::max(b.latest, lane.time);
  int predicate = static_cast<int>(lane.stop.local);
  b.count += predicate != 0, b.all &= predicate != 0, b.any |= predicate != 0;
  if (options_.witness) options_.witness->arrived(cta, id, lane);
  if (lane.stop.kind == OpKind::arrive) {
    lane.warp->runnable |= 1u << lane.index;
  } else {
    b.waiting.push_back(&lane);
  }
  check_barrier(cta, id);
}

void Machine::check_barrier(Cta& cta, int id) {
  Barrier& b = cta.barriers[static_cast<size_t>(id)];
  uint32_t expected = b.expected ? b.expected : cta.live;
  if (b.arrived < expected || b.arrived == 0) return;
  progress();
  Time when = std::max(b.latest, queue_.now());
  if (id == Cta::kScopeBarrier) {
    if (options_.witness) options_.witness->left(cta, id, b.waiting);
    for (Lane* lane : b.waiting) lane->time = when;
    b = {};
    queue_.at(when, Rank::agent, [this, c = &cta] { execute({.cta = c}); });
    return;
  }
  Time cost = std::max(gpu_model_.cta_barrier, gpu_model_.sync_per_warp * static_cast<int64_t>(cta.warps.size()));
  release_barrier(cta, b, when + cost);
}

void Machine::release_barrier(Cta& cta, Barrier& b, Time when) {
  if (options_.witness) options_.witness->left(cta, static_cast<int>(&b - cta.barriers.data()), b.waiting);
  for (Lane* lane : b.waiting) {
    lane->result = static_cast<uint64_t>(lane->stop.function == 0 ? b.count : lane->stop.function == 1 ? b.all : b.any);
    lane->time = when;
    lane->fresh_value = false;
  }
  std::vector<Lane*> released = std::move(b.waiting);
  b = {};
  queue_.at(when, Rank::agent, [this, c = &cta, released = std::move(released)] {
    recheck_pe(c->grid->pe);
    run_lanes(released);
  });
}

// Lanes that go on together, warp by warp.
void Machine::run_lanes(const std::vector<Lane*>& lanes) {
  for (Lane* lane : lanes) {
    lane->state = Actor::State::ready;
    lane->warp->runnable |= 1u << lane->index;
  }
  Warp* last = nullptr;
  for (Lane* lane : lanes)
    if (lane->warp != last && lane->warp->runnable) run_warp(*(last = lane->warp));
}

// Completes warp operations whose lanes are all there. Lanes that have exited count as absent.
bool Machine::complete_warp_ops(Warp& warp) {
  bool any = false;
  for (uint32_t todo = warp.at_warp_op; todo;) {
    Lane& first = *warp.lane(__builtin_ctz(todo));
    uint32_t mask = static_cast<uint32_t>(first.stop.value) & warp.live;
    bool all_there = mask != 0 && first.stop.function != static_cast<uint8_t>(WarpOp::active_mask);
    Time when;
    for (uint32_t m = mask; m && all_there; m &= m - 1) {
      Lane& lane = *warp.lane(__builtin_ctz(m));
      all_there = (warp.at_warp_op >> lane.index & 1) && lane.stop.function == first.stop.function &&
                  (static_cast<uint32_t>(lane.stop.value) & warp.live) == mask;
      when = std::max(when, lane.time);
    }
    todo &= ~(1u << first.index);
    if (!all_there) continue;
    compute_warp_op(warp, mask);
    if (options_.witness) options_.witness->met(lanes_of({.warp = &warp, .mask = mask}));
    for (uint32_t m = mask; m; m &= m - 1) {
      Lane& lane = *warp.lane(__builtin_ctz(m));
      lane.time = when + gpu_model_.warp_op;
      lane.fresh_value = false;
    }
    warp.at_warp_op &= ~mask;
    warp.runnable |= mask;
    todo &= ~mask;
    any = true;
    progress();
  }
  return any;
}

// __activemask: when nobody of the warp can run, the lanes that stand at one call are the active ones.
bool Machine::complete_active_masks(Warp& warp) {
  for (uint32_t m = warp.at_warp_op; m; m &= m - 1) {
    Lane& first = *warp.lane(__builtin_ctz(m));
    if (first.stop.function != static_cast<uint8_t>(WarpOp::active_mask)) continue;
    uint32_t together = 0;
    Time when;
    for (uint32_t k = warp.at_warp_op; k; k &= k - 1) {
      Lane& lane = *warp.lane(__builtin_ctz(k));
      if (lane.stop.function != first.stop.function || lane.stop.site != first.stop.site) continue;
      together |= 1u << lane.index;
      when = std::max(when, lane.time);
    }
    for (uint32_t k = together; k; k &= k - 1) {
      Lane& lane = *warp.lane(__builtin_ctz(k));
      lane.result = together;
      lane.time = when;
    }
    warp.at_warp_op &= ~together;
    warp.runnable |= together;
    return true;
  }
  return false;
}

Actor& Machine::leader(const Group& g) const {
  if (g.host) return *g.host;
  if (g.cta) {
    for (Lane& lane : g.cta->threads)
      if (lane.state == Actor::State::stopped && lane.stop.scope == Scope::block) return lane;
    SHMEMU_ASSERT(false, "a block-scoped call without a thread");
  }
  return *g.warp->lane(__builtin_ctz(g.mask));
}

std::vector<Lane*> Machine::lanes_of(const Group& g) const {
  std::vector<Lane*> lanes;
  if (!g.host) for_each(g, [&](Actor& a) { lanes.push_back(static_cast<Lane*>(&a)); });
  return lanes;
}

Place Machine::place_of(const Actor& actor) const {
  if (actor.is_host()) return {.pe = actor.pe, .host = true};
  const Lane& lane = static_cast<const Lane&>(actor);
  const Cta& cta = *lane.warp->cta;
  return {actor.pe, false, cta.grid->stream, cta.grid->number, cta.index, lane.warp->number, 1u << lane.index};
}

// The transfer that last wrote the word of a wait.
uint64_t Machine::arrived_by(const Op& wait) const {
  auto at = last_write_.find(wait.remote / WatchTable::kLine);
  return at == last_write_.end() ? 0 : at->second.transfer;
}

void Machine::span(const Group& g, const Op& op, uint64_t bytes, Time from, Time to, uint64_t flow) {
  if (!options_.observer) return;
  Place place = place_of(leader(g));
  uint32_t lanes = 1;
  if (g.cta) place.mask = 0, lanes = g.cta->live;
  if (g.warp) place.mask = g.mask, lanes = static_cast<uint32_t>(__builtin_popcount(g.mask));
  options_.observer->span(place, op, lanes, bytes, from, to, flow);
}

}  // namespace shmemu::device
