#include "predict/step_memory.hpp"

#include <algorithm>

namespace shmemu::predict {

bool PhaseSums::always(uint64_t work, Time takes) {
  auto [at, fresh] = takes_.try_emplace(work, takes);
  if (!at->second) return false;
  if (*at->second == takes) return true;
  at->second.reset();
  std::erase_if(kinds_, [&](const auto& k) {
    return std::find(k.second.works.begin(), k.second.works.end(), work) != k.second.works.end();
  });
  return false;
}

bool PhaseSums::learn(uint64_t kind, const Phases& all) {
  Kind k{all.front().size(), {}, {}, {}, {}};
  bool good = k.phases > 0;
  for (const auto& phases : all) good &= phases.size() == k.phases;
  if (!good) return kinds_.erase(kind), false;
  for (size_t i = 0; i < k.phases; ++i)
    for (const auto& phases : all) {
      const Phase& p = phases[i];
      good &= always(p.work, p.until_look);
      k.until_look.push_back(p.until_look.ps);
      k.works.push_back(p.work);
      if (i + 1 == k.phases) continue;
      good &= always(p.sender_work, p.until_arrival);
      k.until_arrival.push_back(p.until_arrival.ps);
      k.works.push_back(p.sender_work);
      k.sender.push_back(static_cast<uint32_t>(p.sender));
    }
  std::sort(k.works.begin(), k.works.end());
  k.works.erase(std::unique(k.works.begin(), k.works.end()), k.works.end());
  if (!good) return kinds_.erase(kind), false;
  kinds_.insert_or_assign(kind, std::move(k));
  return true;
}

bool PhaseSums::pass(uint64_t kind, Clocks& clocks) const {
  auto found = kinds_.find(kind);
  if (found == kinds_.end()) return false;
  const Kind& k = found->second;
  size_t pes = clocks.size();
  begin_.resize(pes), end_.resize(pes);
  for (size_t i = 0; i < pes; ++i) begin_[i] = clocks[i].ps;
  for (size_t phase = 0; phase + 1 < k.phases; ++phase) {
    const int64_t* look = &k.until_look[phase * pes];
    const int64_t* arrival = &k.until_arrival[phase * pes];
    const uint32_t* sender = &k.sender[phase * pes];
    for (size_t i = 0; i < pes; ++i) {
      int64_t looks = begin_[i] + look[i], arrives = begin_[sender[i]] + arrival[i];
      end_[i] = arrives <= looks ? looks + found_.ps : arrives + seen_.ps;
    }
    std::swap(begin_, end_);
  }
  const int64_t* rest = &k.until_look[(k.phases - 1) * pes];
  for (size_t i = 0; i < pes; ++i) clocks[i] = {begin_[i] + rest[i]};
  return true;
}

namespace {

void mix(uint64_t& h, uint64_t value) {
  h = (h ^ value) * 0xff51afd7ed558ccd;
  h ^= h >> 29;
}

uint64_t digest(uint64_t kind, const StepMemory::State& s) {
  uint64_t h = kind * 0x9e3779b97f4a7c15;
  mix(h, s.earlier_kind);
  for (const Clocks* clocks : {&s.earlier, &s.now})
    for (Time t : *clocks) mix(h, static_cast<uint64_t>((t - s.now.front()).ps));
  return h;
}

// The same but for a shift.
bool alike(const StepMemory::State& a, const StepMemory::State& b) {
  Time shift = a.now.front() - b.now.front();
  for (size_t i = 0; i < a.now.size(); ++i)
    if (a.now[i] - b.now[i] != shift || a.earlier[i] - b.earlier[i] != shift) return false;
  return a.earlier_kind == b.earlier_kind;
}

}  // namespace

void StepMemory::learn(uint64_t kind, const State& before, const Clocks& after, const Phases& phases) {
  if (!sums_.learn(kind, phases) && !remembered(kind, before))
    known_.emplace(digest(kind, before), Known{kind, before, after});
}

bool StepMemory::pass(uint64_t kind, State& state) const {
  Clocks then = state.now;
  if (!sums_.pass(kind, then)) {
    const Known* known = remembered(kind, state);
    if (!known) return false;
    for (size_t i = 0; i < then.size(); ++i)
      then[i] = known->after[i] + (state.now.front() - known->before.now.front());
  }
  state = {std::move(state.now), std::move(then), kind};
  return true;
}

const StepMemory::Known* StepMemory::remembered(uint64_t kind, const State& state) const {
  auto [first, last] = known_.equal_range(digest(kind, state));
  for (auto k = first; k != last; ++k)
    if (k->second.kind == kind && alike(k->second.before, state)) return &k->second;
  return nullptr;
}

StepLoop::Step& StepLoop::before(uint64_t step) {
  Step& s = steps_[step];
  if (s.clocks.empty()) s.clocks.resize(pes_), s.phases.resize(pes_);
  return s;
}

const StepLoop::Jump* StepLoop::ends(size_t pe, uint64_t step, Time at, std::vector<Phase> phases) {
  before(step).phases[pe] = std::move(phases);
  before(step + 1).clocks[pe] = at;
  if (step >= decided_) decide(step);
  auto found = jumps_.find(step);
  if (found == jumps_.end()) return nullptr;
  before(found->second.to).clocks[pe] = found->second.at[pe];
  return &found->second;
}

StepMemory::State StepLoop::state_before(uint64_t step) {
  return {before(step - 1).clocks, before(step).clocks, kind_(step - 1)};
}

// Where a period begins with the PEs as far apart as an earlier one, everything since then comes again.
void StepLoop::pass_periods(uint64_t& next, StepMemory::State& state) {
  uint64_t end = std::min(periodic_, count_ - 2), key = digest(0, state);
  auto [first, last] = periods_.equal_range(key);
  for (auto p = first; p != last; ++p) {
    const Begun& then = p->second;
    if (!alike(state, then.state)) continue;
    uint64_t span = next - then.step, times = end > next ? (end - next) / span : 0;
    Time all = (state.now.front() - then.state.now.front()) * static_cast<int64_t>(times);
    for (Clocks* clocks : {&state.earlier, &state.now})
      for (Time& t : *clocks) t += all;
    next += times * span;
    return;
  }
  periods_.emplace(key, Begun{next, state});
}

void StepLoop::decide(uint64_t step) {
  decided_ = step + 1;
  if (step < 2 || step <= jumped_to_) return;  // what came before the loop is still felt in its first step
  steps_.erase(steps_.begin(), steps_.lower_bound(step - 2));
  jumps_.erase(jumps_.begin(), jumps_.lower_bound(step - 1));
  memory_.learn(kind_(step - 1), state_before(step - 1), before(step).clocks, before(step - 1).phases);
  Jump jump;
  StepMemory::State s = state_before(step);
  uint64_t next = step;
  while (next + 2 < count_ && memory_.pass(kind_(next), s)) {
    if (next == step) jump.from = s.now;
    ++next;
    if (period_ && next % period_ == 0) pass_periods(next, s);
  }
  if (next <= step + 1) return;
  jump.to = jumped_to_ = decided_ = next;
  before(next - 1).clocks = std::move(s.earlier);
  jump.at = std::move(s.now);
  jump.common = Time::max();
  for (size_t i = 0; i < pes_; ++i) jump.common = std::min(jump.common, jump.at[i] - jump.from[i]);
  jumps_[step] = std::move(jump);
}

}  // namespace shmemu::predict
