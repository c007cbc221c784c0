#include "deepep/low_latency.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "deepep/accounting.hpp"

namespace shmemu::deepep {

LowLatency::LowLatency(const Platform& platform, const Costs& costs, const Setup& setup, const Routing& routing)
    : platform_(platform),
      costs_(costs),
      setup_(setup),
      routing_(routing),
      links_(setup.ep, nvlink_rate(platform, costs, setup)),
      counts_(static_cast<size_t>(setup.ep) * static_cast<size_t>(setup.experts)),
      ranks_(static_cast<size_t>(setup.ep)),
      starts_(setup.seed + 17),
      per_node_(ranks_per_node(setup, platform)),
      ops_(2 * setup.iterations),
      groups_((setup.experts + setup.sms_low_latency - 1) / setup.sms_low_latency),
      warps_(std::max(1, 32 / groups_)),
      blocks_((setup.experts + groups_ - 1) / groups_),
      dispatch_bytes_(ll_dispatch_message(setup)),
      combine_bytes_(ll_combine_message(setup)) {
  if (platform.nic) wire_ = std::make_unique<Wire>(events_, platform, setup, costs, setup.experts, *this);
  for (int r = 0; r < setup.ep; ++r) {
    for (int16_t e : routing.picks[static_cast<size_t>(r)])
      if (e >= 0) ++counts_[static_cast<size_t>(r) * static_cast<size_t>(setup.experts) + static_cast<size_t>(e)];
    ranks_[static_cast<size_t>(r)].random = Random(setup.seed * 1000003 + static_cast<uint64_t>(r));
  }
  samples_.assign(static_cast<size_t>(ops_), std::vector<RankTimes>(static_cast<size_t>(setup.ep)));
}

bool LowLatency::by_adapter(int a, int b) const {
  if (setup_.version == Version::feb25) return a != b && wire_;
  return a / per_node_ != b / per_node_;
}

Results LowLatency::run(Spans* spans) {
  spans_ = spans;
  begin_pair();
  while (!events_.empty()) events_.run_next();
  for (int r = 0; r < setup_.ep; ++r)
    SHMEMU_ASSERT(ranks_[static_cast<size_t>(r)].op == ops_ - 1,
                  fmt::format("rank {} stopped in operation {} of {}", r, ranks_[static_cast<size_t>(r)].op, ops_));
  Results out;
  for (int parity = 0; parity < 2; ++parity) {
    OpResult whole = result(parity ? "combine" : "dispatch", parity);
    if (setup_.hook_us)
      out.ops.push_back(half(whole, false)), out.ops.push_back(half(whole, true));
    else
      out.ops.push_back(std::move(whole));
  }
  out.events = events_.processed();
  return out;
}

void LowLatency::begin_pair() {
  finished_ = 0;
  pair_start_ = events_.now();
  for (int r = 0; r < setup_.ep; ++r) {
    double at = setup_.arrivals_us.empty() ? static_cast<double>(starts_.below(1 << 20)) / (1 << 20) * setup_.skew_us
                                           : setup_.arrivals_us[static_cast<size_t>(r)];
    events_.at(events_.now() + Time::from_us(at), shmemu::Rank::agent, [this, r] { begin(r); });
  }
}

void LowLatency::begin(int rank) {
  Rank& r = ranks_[static_cast<size_t>(rank)];
  int op = ++r.op;
  Phase& p = phase(rank, op);
  p.start = events_.now();
  p.active = true;
  is_dispatch(op) ? begin_dispatch(rank, op) : begin_combine(rank, op);
}

// ---- dispatch: send
// ---------------------------------------------------------------------------------------------------------

void LowLatency::begin_dispatch(int rank, int op) {
  Phase& p = phase(rank, op);
  auto experts = static_cast<size_t>(setup_.experts);
  p.left.assign(counts_.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(rank) * experts),
                counts_.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(rank + 1) * experts));
  p.slots.assign(experts, 0);
  p.last.assign(experts, p.start);
  p.block_end.assign(static_cast<size_t>(blocks_), Time::max());
  Random& random = ranks_[static_cast<size_t>(rank)].random;
  for (int b = 0; b < blocks_; ++b) {
    Time spread{static_cast<int64_t>(random.below(static_cast<uint64_t>(costs_.ll.entry_spread.ps) + 1))};
    Time t = p.start + costs_.ll.kernel_entry + spread;
    if (b < routing_.tokens(rank))  // read the row, cast and store it, meet, take a slot
      events_.at(t + step(3), shmemu::Rank::agent, [=, this] { send_token(rank, op, b, b); });
    else
      events_.at(t, shmemu::Rank::agent, [=, this] { block_done(rank, op, b, events_.now()); });
  }
}

void LowLatency::send_token(int rank, int op, int block, int token) {
  Phase& p = phase(rank, op);
  Time now = events_.now(), done = now;
  Time post = wire_ ? wire_->post_time() : Time{};
  const int16_t* picks = routing_.token(rank, token);
  bool remote = false;
  for (int j = 0; j < setup_.topk; ++j) {
    int e = picks[j];
    if (e < 0) continue;
    int to = e / setup_.local_experts();
    Time fin = now + costs_.ll.step * rounds(dispatch_bytes_);
    if (by_adapter(rank, to))
      remote = true, fin = now + post;
    else if (to != rank)
      fin = std::max(fin, over_nvlink(rank, to, dispatch_bytes_));
    p.last[static_cast<size_t>(e)] = std::max(p.last[static_cast<size_t>(e)], fin);
    --p.left[static_cast<size_t>(e)];
    done = std::max(done, fin);
  }
  if (remote)
    events_.at(now + post, shmemu::Rank::agent, [=, this] {
      Phase& q = phase(rank, op);
      for (int j = 0; j < setup_.topk; ++j)
        if (int e = picks[j]; e >= 0 && by_adapter(rank, e / setup_.local_experts())) {
          bool ring = ++q.slots[static_cast<size_t>(e)] % setup_.doorbell_every == 0;
          wire_->post(rank, e,
                      {e / setup_.local_experts(), static_cast<uint32_t>(dispatch_bytes_), 0, Wire::Kind::write, false,
                       false, false},
                      ring);
        }
    });
  for (int j = 0; j < setup_.topk; ++j)
    if (int e = picks[j]; e >= 0 && p.block_end[static_cast<size_t>(e / groups_)] != Time::max()) announce(rank, op, e);
  Time next = done + step(1);
  if (token + blocks_ < routing_.tokens(rank))
    events_.at(next + step(3), shmemu::Rank::agent, [=, this] { send_token(rank, op, block, token + blocks_); });
  else
    block_done(rank, op, block, next);
}

// A copy that starts now: the first loads, then stores, until the last is acknowledged and a release may follow.
Time LowLatency::over_nvlink(int from, int to, uint64_t bytes) {
  return links_.carry(from, to, bytes, events_.now() + step(1)) + platform_.gpu.ack_remote;
}

// The last warp of a block counts the selections of the block's experts; it announces an expert when all are issued.
void LowLatency::block_done(int rank, int op, int block, Time at) {
  phase(rank, op).block_end[static_cast<size_t>(block)] = at;
  for (int e = block * groups_; e < std::min((block + 1) * groups_, setup_.experts); ++e) announce(rank, op, e);
}

void LowLatency::announce(int rank, int op, int e) {
  Phase& p = phase(rank, op);
  if (p.left[static_cast<size_t>(e)]) return;
  p.left[static_cast<size_t>(e)] = UINT16_MAX;  // once
  Time at = std::max(p.block_end[static_cast<size_t>(e / groups_)], p.last[static_cast<size_t>(e)] + step(1)) + step(1);
  int to = e / setup_.local_experts(), local = e % setup_.local_experts();
  if (by_adapter(rank, to)) {
    events_.at(at + wire_->post_time(), shmemu::Rank::agent, [=, this] {
      bool atomic = setup_.version == Version::newest;
      wire_->post(rank, e, {to, 4, tag(op, local), atomic ? Wire::Kind::atomic : Wire::Kind::write, true, true, false},
                  true);
    });
  } else {
    Time seen = at + (to == rank ? costs_.local_flag : costs_.nvlink_flag);
    events_.at(seen, shmemu::Rank::memory, [=, this] { flag(rank, to, op, local); });
  }
  p.last_announced = std::max(p.last_announced, at);
  if (++p.announced == setup_.experts) sends_done(rank, op, p.last_announced);
}

// All blocks meet before the kernel receives.
void LowLatency::sends_done(int rank, int op, Time at) {
  Phase& p = phase(rank, op);
  p.issued = at;
  p.receive_at = at + platform_.gpu.grid_barrier + platform_.gpu.grid_barrier_per_cta * blocks_;
  if (setup_.hook_us) {
    p.issued = at + step(1);  // the counts are stored
    p.hook = p.issued + Time::from_us(*setup_.hook_us);
    p.receive_at = p.hook + costs_.ll.receive_entry;
  }
  p.sends_known = true;
  if (!is_dispatch(op)) return maybe_reduce(rank, op);
  for (auto [from, local] : p.waiting)
    events_.at(std::max(events_.now(), p.receive_at) + step(2), shmemu::Rank::agent,
               [=, this, from = from, local = local] { receive_pair(rank, op, from, local); });
  p.waiting.clear();
}

// ---- dispatch: receive
// ------------------------------------------------------------------------------------------------------

void LowLatency::arrived(int from, int to, uint64_t tag) {
  flag(from, to, static_cast<int>(tag >> 32), static_cast<int>(tag & 0xffffffff));
}

void LowLatency::flag(int from, int to, int op, int local) {
  Phase& p = phase(to, op);
  ++p.flags;
  p.flags_seen = std::max(p.flags_seen, events_.now());
  if (!is_dispatch(op)) return maybe_reduce(to, op);
  if (!p.sends_known) return p.waiting.emplace_back(from, local), void();
  events_.at(std::max(events_.now(), p.receive_at) + step(2), shmemu::Rank::agent,
             [=, this] { receive_pair(to, op, from, local); });
}

// A warp group copies what one source sent to one expert from the receive buffer to the packed output.
void LowLatency::receive_pair(int rank, int op, int from, int local) {
  Phase& p = phase(rank, op);
  int n = selections(from, rank * setup_.local_experts() + local);
  Time now = events_.now(), end = now;
  if (n) {
    Time memory = ranks_[static_cast<size_t>(rank)].memory.serve(
        now, platform_.gpu.hbm.time_for(2 * dispatch_bytes_ * static_cast<uint64_t>(n)));
    // the last load still has its way back and its store
    end =
        std::max(memory + step(2), now + costs_.ll.step * ((n + warps_ - 1) / warps_ * (rounds(dispatch_bytes_) + 2)));
  }
  p.end = std::max(p.end, end);
  if (++p.received == setup_.experts) finish(rank, op, p.end);
}

// ---- combine
// ----------------------------------------------------------------------------------------------------------------

void LowLatency::begin_combine(int rank, int op) {
  Phase& p = phase(rank, op);
  Random& random = ranks_[static_cast<size_t>(rank)].random;
  for (int local = 0; local < setup_.local_experts(); ++local)
    for (int owner = 0; owner < setup_.ep; ++owner) {
      Time spread{static_cast<int64_t>(random.below(static_cast<uint64_t>(costs_.ll.entry_spread.ps) + 1))};
      events_.at(p.start + costs_.ll.kernel_entry + spread + step(1), shmemu::Rank::agent,
                 [=, this] { send_group(rank, op, local, owner, 0); });
    }
}

// The next tokens of a group, one per warp: read the row, write it to the staging buffer or to the peer, post.
void LowLatency::send_group(int rank, int op, int local, int owner, int first) {
  int n = selections(owner, rank * setup_.local_experts() + local);
  Time now = events_.now(), last = now;
  Server& memory = ranks_[static_cast<size_t>(rank)].memory;
  for (int i = first; i < std::min(n, first + warps_); ++i) {
    bool adapter = by_adapter(rank, owner), peer = !adapter && owner != rank;
    Time done = now + costs_.ll.step * (2 + rounds(combine_bytes_));
    auto link_bytes = static_cast<uint64_t>(static_cast<double>(combine_bytes_) / costs_.ll.combine_share);
    uint64_t moved = 2 * static_cast<uint64_t>(setup_.hidden) * (peer ? 1 : 2);
    done = std::max(done, memory.serve(now, platform_.gpu.hbm.time_for(moved)));
    if (peer) done = std::max(done, over_nvlink(rank, owner, link_bytes));
    if (adapter) {
      done += wire_->post_time();
      bool ring = (i + 1) % setup_.doorbell_every == 0;
      events_.at(done, shmemu::Rank::agent, [=, this] {
        wire_->post(rank, owner * setup_.local_experts() + local,
                    {owner, static_cast<uint32_t>(combine_bytes_), 0, Wire::Kind::write, false, false, false}, ring);
      });
    }
    last = std::max(last, done);
  }
  if (first + warps_ < n)
    events_.at(last, shmemu::Rank::agent, [=, this] { send_group(rank, op, local, owner, first + warps_); });
  else
    group_done(rank, op, local, owner, last);
}

void LowLatency::group_done(int rank, int op, int local, int owner, Time last) {
  Phase& p = phase(rank, op);
  Time at = last + step(1);
  if (by_adapter(rank, owner)) {
    events_.at(at + wire_->post_time(), shmemu::Rank::agent, [=, this] {
      bool atomic = setup_.version == Version::newest;
      wire_->post(rank, owner * setup_.local_experts() + local,
                  {owner, 4, tag(op, local), atomic ? Wire::Kind::atomic : Wire::Kind::write, true, true, false}, true);
    });
  } else {
    events_.at(at + (owner == rank ? costs_.local_flag : costs_.nvlink_flag), shmemu::Rank::memory,
               [=, this] { flag(rank, owner, op, local); });
  }
  p.last_announced = std::max(p.last_announced, at);
  if (++p.announced == setup_.experts) sends_done(rank, op, p.last_announced);
}

// All flags are there and all blocks have met: a weighted sum over the top-k rows of each token.
void LowLatency::maybe_reduce(int rank, int op) {
  Phase& p = phase(rank, op);
  if (!p.active || !p.sends_known || p.flags < setup_.experts) return;
  uint64_t tokens = static_cast<uint64_t>(routing_.tokens(rank)), row = 2 * static_cast<uint64_t>(setup_.hidden);
  uint64_t side_by_side = groups_ * warps_ >= 30 ? 2 : 1;  // two groups of 15 warps fit
  uint64_t slots = static_cast<uint64_t>(blocks_) * side_by_side, turns = (tokens + slots - 1) / slots;
  auto k = static_cast<uint64_t>(setup_.topk);
  Time sum =
      std::max(costs_.ll.reduce_rate.time_for(turns * k * row), platform_.gpu.hbm.time_for(tokens * (k + 1) * row));
  Time grid = platform_.gpu.grid_barrier + platform_.gpu.grid_barrier_per_cta * blocks_;
  Time met = setup_.hook_us ? std::max(p.receive_at, p.flags_seen) + step(1) + grid
                            : std::max(p.receive_at, p.flags_seen + grid);
  finish(rank, op, met + step(3) + sum);
}

void LowLatency::finish(int rank, int op, Time at) {
  Phase& p = phase(rank, op);
  RankTimes& t = samples_[static_cast<size_t>(op)][static_cast<size_t>(rank)];
  t.start = p.start, t.issued = p.issued, t.arrived = std::max(p.issued, p.flags_seen), t.forwarded = t.arrived,
  t.end = at;
  t.hook = p.hook;
  if (spans_ && op >= ops_ - 2) {
    const char* name = is_dispatch(op) ? "dispatch" : "combine";
    if (setup_.hook_us) {
      spans_->push_back({rank, "kernel", name, p.start, p.issued, 0, -1});
      spans_->push_back({rank, "kernel", name, p.hook, at, 0, -1});
    } else {
      spans_->push_back({rank, "kernel", name, p.start, at, 0, -1});
    }
    spans_->push_back({rank, "phases", "send", p.start, t.issued, 0, -1});
    if (t.arrived > t.issued) spans_->push_back({rank, "phases", "wait for data", t.issued, t.arrived, 0, -1});
    spans_->push_back({rank, "phases", "receive", t.arrived, at, 0, -1});
  }
  p = Phase{};  // no count of the operation after the next can be here: its sender needs ours of the next
  if (is_dispatch(op)) {
    Time next = at + costs_.ll.gap;
    if (!setup_.combine_arrivals_us.empty())
      next = std::max(next, pair_start_ + Time::from_us(setup_.combine_arrivals_us[static_cast<size_t>(rank)]));
    return events_.at(next, shmemu::Rank::agent, [this, rank] { begin(rank); });
  }
  pair_end_ = std::max(pair_end_, at);
  if (++finished_ == setup_.ep && op + 1 < ops_)
    events_.at(pair_end_ + costs_.ll.gap, shmemu::Rank::agent, [this] { begin_pair(); });
}

OpResult LowLatency::half(const OpResult& whole, bool receive) const {
  OpResult out = receive ? OpResult{} : whole;
  out.name = whole.name + (receive ? "_recv" : "_send");
  out.ranks = whole.ranks, out.samples = whole.samples, out.logical_bytes = 0;
  for (RankTimes& t : out.samples) {
    if (receive) {
      t.arrived = std::max(t.hook, t.arrived), t.forwarded = t.arrived;
      t.start = t.others_started = t.issued = t.hook;
    } else {
      t.others_started = t.start, t.arrived = t.forwarded = t.end = t.issued;
    }
  }
  return out;
}

OpResult LowLatency::result(const std::string& name, int parity) const {
  OpResult out;
  out.name = name;
  out.ranks = setup_.ep;
  for (int op = parity; op < ops_; op += 2) {
    const auto& row = samples_[static_cast<size_t>(op)];
    Time latest;
    for (const RankTimes& t : row) latest = std::max(latest, t.start);
    for (RankTimes t : row) {
      t.others_started = latest;
      out.samples.push_back(t);
    }
  }
  uint64_t bytes = parity == 0 ? dispatch_bytes_ : combine_bytes_, total = 0;
  Loads loads(platform_, setup_, costs_);
  for (int r = 0; r < setup_.ep; ++r)
    for (int e = 0; e < setup_.experts; ++e) {
      auto n = static_cast<uint64_t>(selections(r, e));
      int to = e / setup_.local_experts(), from = r;
      if (parity == 1) std::swap(from, to);
      total += n;
      if (by_adapter(from, to)) {
        loads.adapter(from, to, n, bytes);
        loads.atomics(from, to, 1, costs_.ll.atomic_service);
        out.doorbells += n / static_cast<uint64_t>(setup_.doorbell_every) + 1;
      } else if (to != from) {
        loads.nvlink(from, to, n, bytes);
      }
    }
  double counted = static_cast<double>(parity == 0 ? counted_dispatch(setup_) : counted_combine(setup_));
  out.logical_bytes = static_cast<double>(total) * counted / setup_.ep;
  loads.fill(out);
  return out;
}

}  // namespace shmemu::deepep
