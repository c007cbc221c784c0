// Who is ordered with whom without any operation: threads that meet, streams, kernels, hosts.
#include <algorithm>
#include <bit>

#include "emu/check/checker.hpp"
#include "emu/core/world.hpp"

namespace shmemu::emu::checks {
namespace {

uint64_t chain_number(const device::Command& c) { return c.number + 1; }  // from 1

}  // namespace

Strand& Checker::host(PeId pe) {
  Strand& s = hosts_[pe];
  if (s.now.command == 0) s.now = {.pe = pe, .stream = kHostChain, .command = 1};
  if (auto groups = host_groups_.find(pe); groups != host_groups_.end()) flush(groups->second, s, nullptr);
  return s;
}

Checker::Block& Checker::block(const device::Cta& cta) {
  auto [at, fresh] = blocks_.try_emplace(&cta);
  Block& b = at->second;
  if (!fresh) return b;
  const device::Grid& grid = *cta.grid;
  const Strand& from = command(grid.pe, grids_.at(&grid)).strand;
  b.number = ++blocks_seen_;
  Strand s = from;
  s.now.block = b.number;
  s.block_index = cta.index;
  b.whole = s;
  b.threads.assign(cta.threads.size(), s);
  for (uint32_t t = 0; t < b.threads.size(); ++t) b.threads[t].now.thread = t, b.threads[t].now.warp = t / 32;
  return b;
}

Strand& Checker::unflushed(device::Actor& actor) {
  if (actor.is_host()) return hosts_[actor.pe];
  auto& lane = static_cast<device::Lane&>(actor);
  return block(*lane.warp->cta).threads[lane.thread];
}

Strand& Checker::strand(device::Actor& actor) {
  if (actor.is_host()) return host(actor.pe);
  auto& lane = static_cast<device::Lane&>(actor);
  Block& its = block(*lane.warp->cta);
  flush(its.groups, its.whole, &its);
  return its.threads[lane.thread];
}

void Checker::arrived(device::Cta& cta, int barrier, device::Lane& lane) {
  if (lane.stop.kind != OpKind::arrive) return;
  Block& b = block(cta);
  Strand& s = strand(lane);
  auto& told = b.arrivals[barrier];
  if (!told) told = std::make_shared<Knowledge>();
  told->join(*s.told());
  s.step();
}

void Checker::left(device::Cta& cta, int barrier, const std::vector<device::Lane*>& lanes) {
  met(lanes);
  auto& arrivals = block(cta).arrivals;
  auto at = arrivals.find(barrier);
  if (at == arrivals.end()) return;
  for (device::Lane* lane : lanes) strand(*lane).learn(*at->second);
  arrivals.erase(at);
}

// All know what each knew and did. The mark that says so is of the block or warp when nobody of it is missing.
void Checker::met(const std::vector<device::Lane*>& lanes) {
  if (lanes.empty()) return;
  std::vector<Strand*> strands;
  auto knowledge = strand(*lanes.front()).knowledge;
  std::shared_ptr<Knowledge> joined;
  Clock fence;
  bool after_sync = false;
  for (device::Lane* lane : lanes) {
    Strand& s = strand(*lane);
    strands.push_back(&s);
    fence.join(s.fence);
    after_sync |= s.after_sync;
    if (s.knowledge == knowledge) continue;
    if (!joined) joined = std::make_shared<Knowledge>(*knowledge);
    joined->join(*s.knowledge);
  }
  if (!joined) joined = std::make_shared<Knowledge>(*knowledge);
  for (size_t i = 0; i < lanes.size();) {
    const device::Cta* cta = lanes[i]->warp->cta;
    size_t end = i;
    while (end < lanes.size() && lanes[end]->warp->cta == cta) ++end;
    if (end - i == cta->live) {
      joined->executed.add(lanes[i]->pe, mark_of_block(strands[i]->now, strands[i]->now.block_epoch + 1));
      for (; i < end; ++i) ++strands[i]->now.block_epoch;
      continue;
    }
    while (i < end) {
      const device::Warp* warp = lanes[i]->warp;
      size_t last = i;
      while (last < end && lanes[last]->warp == warp) ++last;
      if (last - i == static_cast<size_t>(std::popcount(warp->live))) {
        joined->executed.add(lanes[i]->pe, mark_of_warp(strands[i]->now, strands[i]->now.warp_epoch + 1));
        for (; i < last; ++i) ++strands[i]->now.warp_epoch;
      } else {
        for (; i < last; ++i) {
          joined->executed.add_event(strands[i]->now);
          strands[i]->step();
        }
      }
    }
  }
  for (Strand* s : strands) {
    s->knowledge = joined;
    s->fence = fence;
    s->after_sync = after_sync;
  }
}

// ---- streams ----

void Checker::submitted(device::Host& from, const device::Command& c) {
  Strand& s = host(from.pe);
  Strand& to = command(from.pe, chain_number(c)).strand;
  to.now = {.pe = from.pe, .stream = c.stream, .command = chain_number(c)};
  to.knowledge = s.told();
  to.fence = s.fence;
  to.after_sync = s.after_sync;
  if (c.kind == OpKind::launch) to.kernel = &*names_.insert(c.name).first;
  if (c.launch) command(from.pe, chain_number(c)).site = c.launch->site;
  command(from.pe, chain_number(c)).name = c.name;
  s.step();
}

void Checker::follows(const device::Command& c, const device::Command& earlier) {
  CommandState& state = command(c.pe, chain_number(c));
  CommandKey key{earlier.pe, chain_number(earlier)};
  state.after.push_back(key);
}

void Checker::began(const device::Command& c) {
  CommandState& state = command(c.pe, chain_number(c));
  bool after_sync = state.strand.after_sync;
  for (const CommandKey& key : std::exchange(state.after, {})) finish_wait(state.strand, key.first, key.second);
  state.strand.after_sync |= after_sync;
  beginning_[c.pe] = chain_number(c);
}

void Checker::finished(const device::Command& c) {
  CommandState& state = command(c.pe, chain_number(c));
  state.strand.edit().executed.advance(c.pe, c.stream, chain_number(c));
  state.finished = true;
}

// `who` knows that the command has ended.
void Checker::finish_wait(Strand& who, PeId pe, uint64_t number) {
  auto at = commands_.find({pe, number});
  if (at == commands_.end() || !at->second.finished) return;
  who.learn(at->second.strand.knowledge);
  if (who.now.pe == pe) who.fence.join(at->second.strand.fence);
  who.after_sync = at->second.strand.after_sync;
}

void Checker::awaits(device::Host& from, const device::Command& c) { awaited_[from.pe] = {c.pe, chain_number(c)}; }

void Checker::learned(device::Host& from, const device::Command& c) {
  finish_wait(host(from.pe), c.pe, chain_number(c));
}

void Checker::learned(device::Host& from, uint64_t word) {
  if (const Knowledge* k = flags_.last(word)) host(from.pe).learn(*k);
}

void Checker::started(const device::Grid& grid) { grids_[&grid] = beginning_[grid.pe]; }

void Checker::ended(const device::Cta& cta) {
  auto at = blocks_.find(&cta);
  if (at == blocks_.end()) return;
  Strand& end = command(cta.grid->pe, grids_.at(cta.grid)).strand;
  auto take = [&](Strand& s) {
    end.learn(s.knowledge);
    end.fence.join(s.fence);
    end.after_sync = s.after_sync;
    leading_.erase(&s);
  };
  flush(at->second.groups, at->second.whole, &at->second);
  for (GroupState& group : at->second.groups.states) accesses_.release(group.access);
  take(at->second.whole);
  for (Strand& s : at->second.threads) {
    look_at_sources(s, true);
    take(s);
  }
  blocks_.erase(at);
}

}  // namespace shmemu::emu::checks
