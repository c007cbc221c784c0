// Operations: what they access, what their arrival and completion let others know, and the comparison with what the
// shadow remembers.
#include "emu/check/checker.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "device/atomics.hpp"
#include "emu/check/uses.hpp"
#include "emu/core/world.hpp"
#include "shmemu/abi.h"

namespace shmemu::emu::checks {
namespace {

uint64_t word_at(uint64_t address, uint64_t bytes) {
  return device::load_bits(reinterpret_cast<const std::byte*>(address), bytes);
}

// A write that others may wait for.
bool is_flag(const Op& op) {
  return op.bytes <= 8 && (op.bytes & (op.bytes - 1)) == 0 && op.bytes && op.remote % op.bytes == 0;
}

// Operations that record() knows.
bool touches_memory(const Op& op) {
  switch (op.kind) {
    case OpKind::put:
    case OpKind::get:
    case OpKind::p:
    case OpKind::g:
    case OpKind::iput:
    case OpKind::iget:
    case OpKind::put_signal:
    case OpKind::signal:
    case OpKind::atomic:
    case OpKind::fetch:
      return true;
    default:
      return false;
  }
}

// Stops behind which a thread may know more; see resumes().
bool teaches(OpKind kind) {
  switch (kind) {
    case OpKind::wait:
    case OpKind::test:
    case OpKind::wait_set:
    case OpKind::poll:
    case OpKind::order:
    case OpKind::fence:
    case OpKind::quiet:
    case OpKind::fetch:
    case OpKind::stream_wait:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool Checker::reports_accesses() const { return world_.all_pes[0]->copy.reports_accesses; }

bool Checker::in_heap(uint64_t address) const { return world_.heap.contains(address); }

Access Checker::made_by(const Strand& who, How how, OpKind op, uint64_t address, uint64_t bytes, uint64_t site) const {
  Access a;
  a.event = who.now;
  a.how = how;
  a.op = op;
  a.address = address;
  a.bytes = bytes;
  a.site = site;
  a.when = world_.queue.now();
  a.kernel = who.kernel;
  a.block_index = who.block_index;
  if (in_heap(address)) a.target = PeId{world_.heap.slot_of(address)};
  return a;
}

// ---- operations are issued ----

void Checker::issued(device::Actor& actor, Op& op) {
  if (!touches_memory(op) && !unflushed(actor).inside) return;
  Strand& who = strand(actor);
  if (who.inside) {
    // At its first operation the leader of a collective has met its threads: what they know is what the PE brings.
    // Before they part they meet once more: then the others have told.
    bool meets = op.kind == OpKind::barrier || op.kind == OpKind::arrive || op.kind == OpKind::warp;
    if (!meets && op.scope == Scope::thread && who.must_tell) tell(who);
    if (meets && !who.must_tell) learn_from_others(who);
    return;
  }
  if (op.scope == Scope::thread || actor.is_host()) record(who, op);
}

void Checker::requested(const std::vector<device::Lane*>& group, Op& op) {
  Strand& who = strand(*group.front());
  if (who.inside) {
    for (device::Lane* lane : group)
      if (Strand& s = strand(*lane); s.must_tell) tell(s);
    return;
  }
  record(who, op);
  met(group);
}

void Checker::record(Strand& who, Op& op) {
  bool load = op.kind == OpKind::get || op.kind == OpKind::g || op.kind == OpKind::iget;
  bool store =
      op.kind == OpKind::put || op.kind == OpKind::p || op.kind == OpKind::iput || op.kind == OpKind::put_signal;
  bool update = op.kind == OpKind::atomic || op.kind == OpKind::fetch;
  bool signals = op.kind == OpKind::signal || op.kind == OpKind::put_signal;
  if (!load && !store && !update && !signals) return;
  op.ticket = (static_cast<uint64_t>(who.now.pe.value) + 1) << Tickets::kCountBits | ++tickets_[who.now.pe];
  in_flight_[op.ticket] = std::make_shared<Release>(Release{who.knowledge, who.now, op.target, op.ticket, who.fence});
  auto pieces = [&](uint64_t address, int64_t stride, auto&& f) {
    if (!address || !in_heap(address)) return;
    if (!op.elements) return f(address, op.bytes);
    for (uint64_t i = 0; i < op.elements; ++i) f(address + i * static_cast<uint64_t>(stride), op.bytes / op.elements);
  };
  auto remote = [&](How how, uint64_t address, uint64_t bytes) {
    Access a = made_by(who, how, op.kind, address, bytes, op.site);
    a.scope = op.scope;
    a.nbi = op.nbi;
    a.target = op.target;
    a.ticket = op.ticket;
    a.posted = how != How::remote_read && op.kind != OpKind::fetch;
    return a;
  };
  std::shared_ptr<Uses> uses;
  if (load && !op.elements && op.bytes && in_heap(op.local) && in_heap(op.remote) && reports_accesses())
    uses = std::make_shared<Uses>(op.local, op.bytes);
  // local sides first: a put reads its source before it writes anything
  if (op.bytes && (load || store))
    pieces(op.local, op.local_stride, [&](uint64_t address, uint64_t bytes) {
      How how = load ? (op.nbi ? How::landing : How::store) : (op.nbi ? How::source : How::load);
      Access a = made_by(who, how, op.kind, address, bytes, op.site);
      a.nbi = op.nbi;
      a.scope = op.scope;
      if (op.nbi) a.posted = true, a.ticket = op.ticket, a.toward = op.target;
      a.uses = uses;
      access(who, std::move(a));
    });
  if (op.bytes && (load || store))
    pieces(op.remote, op.remote_stride, [&](uint64_t address, uint64_t bytes) {
      Access a = remote(load ? How::remote_read : How::remote_write, address, bytes);
      if (store && is_flag(op) && op.local) a.known_value = true, a.value = word_at(op.local, op.bytes);
      read_of_fresh(a);
      a.uses = uses, a.landed = op.local - op.remote;
      access(who, std::move(a));
    });
  if (store && op.nbi && op.local && who.now.block && !in_heap(op.local)) {
    look_at_sources(who, false);
    keep_source(who, op, remote(How::source, op.remote, op.bytes));
  }
  if (update && in_heap(op.remote)) {
    Access a = remote(How::update, op.remote, op.bytes);
    a.adds = op.function != SHMEMU_AMO_SET && op.function != SHMEMU_AMO_SWAP;
    a.known_value = !a.adds, a.value = op.value;
    read_of_fresh(a);
    access(who, std::move(a));
  }
  if (signals && in_heap(op.signal)) {
    Access a = remote(How::update, op.signal, 8);
    a.adds = op.signal_op == Op::kSignalAdd;
    a.sets_signal = !a.adds;
    a.known_value = !a.adds, a.value = op.value;
    read_of_fresh(a);
    access(who, std::move(a));
  }
  who.step();
}

// ---- and arrive ----

Knowledge Checker::announce(const Release& r) {
  Knowledge k = *r.knowledge;
  k.executed.add_event(r.at);
  k.delivered.to[r.target.value].join(r.fence);
  k.delivered.tickets.add(r.ticket);
  return k;
}

void Checker::delivered(const Op& op) {
  auto at = in_flight_.find(op.ticket);
  if (!op.ticket || at == in_flight_.end()) return;
  Knowledge k = announce(*at->second);
  in_flight_.erase(at);
  switch (op.kind) {
    case OpKind::fetch:
      if (const Knowledge* before = flags_.last(op.remote))
        fetched_[op.ticket] = std::make_shared<const Knowledge>(*before);
      [[fallthrough]];
    case OpKind::atomic:
      flags_.written(op.remote, word_at(op.remote, op.bytes),
                     op.function != SHMEMU_AMO_SET && op.function != SHMEMU_AMO_SWAP, k);
      return;
    case OpKind::put:
    case OpKind::p:
      if (is_flag(op))
        flags_.written(op.remote, word_at(op.remote, op.bytes), false, k);
      else if (op.bytes)
        flags_.forget(op.remote, op.bytes);
      return;
    case OpKind::put_signal:
      if (op.bytes) flags_.forget(op.remote, op.bytes);
      [[fallthrough]];
    case OpKind::signal:
      flags_.written(op.signal, word_at(op.signal, 8), op.signal_op == Op::kSignalAdd, k);
      return;
    default:
      return;
  }
}

// ---- threads go on ----

void Checker::resumes(device::Actor& actor) {
  const Op& op = actor.stop;
  if (!teaches(op.kind)) return;
  Strand& who = strand(actor);
  if (who.inside) return;
  auto value_of = [&](uint64_t i) {
    return op.signal && op.elements ? word_at(op.signal + i * op.bytes, op.bytes) : op.value;
  };
  switch (op.kind) {
    case OpKind::wait:
      return waited(who, op.remote, op, op.value);
    case OpKind::test:
    case OpKind::wait_set: {
      if (op.kind == OpKind::test && !op.elements) {
        // nvshmemx_signal_fetch asks for "== 0" and looks at the word itself
        bool fetches = op.function == Op::kEqual && op.value == 0 && !actor.result;
        if (actor.result) waited(who, op.remote, op, op.value);
        if (const Knowledge* k = fetches ? flags_.last(op.remote) : nullptr) who.learn(*k);
        return;
      }
      auto* status = reinterpret_cast<const int*>(op.local);
      for (uint64_t i = 0; i < op.elements; ++i)
        if ((!status || !status[i]) &&
            device::compare(op.type, op.function, word_at(op.remote + i * op.bytes, op.bytes), value_of(i)))
          waited(who, op.remote + i * op.bytes, op, value_of(i));
      return;
    }
    case OpKind::poll:
      if (const Knowledge* k = op.remote ? flags_.last(op.remote) : nullptr) who.learn(*k), who.after_sync = false;
      return;
    case OpKind::order:
      return native_update(who, op);
    case OpKind::fence:
      if (op.function >= 2) fence(who, false, op.site);  // of the system, or of NVSHMEM
      return;
    case OpKind::quiet:
      return fence(who, true, op.site);
    case OpKind::fetch:
      if (auto at = fetched_.find(op.ticket); at != fetched_.end()) {
        who.learn(at->second);
        fetched_.erase(at);
      }
      return;
    case OpKind::stream_wait:
      if (auto at = awaited_.find(actor.pe); at != awaited_.end()) {
        CommandKey key = at->second;
        awaited_.erase(at);
        finish_wait(who, key.first, key.second);
      }
      return;
    default:
      return;
  }
}

// The wait for `word` has ended: the thread knows what the write that had to come has announced.
void Checker::waited(Strand& who, uint64_t word, const Op& op, uint64_t value) {
  auto holds = [&](uint64_t v) { return device::compare(op.type, op.function, v, value); };
  Access a = made_by(who, How::wait, op.kind, word, op.bytes, op.site);
  a.type = op.type;
  a.equal = op.function == Op::kEqual && op.kind == OpKind::wait;
  a.value = value;
  if (in_heap(word)) wait_for_fresh(who, a);
  if (const Knowledge* k = flags_.announced(word, holds)) {
    freed_by_later_work(who, *k, a);
    who.learn(*k);
  } else if (in_heap(word)) {
    // a word in the middle of a larger put: that this put has been issued is known, and that this word is there
    std::vector<Event> seen;
    shadow_.look(word, op.bytes, [&](const Access& a, uint64_t, uint64_t) {
      if (a.how == How::remote_write && !in_flight_.contains(a.ticket)) seen.push_back(a.event);
    });
    for (const Event& e : seen) who.edit().executed.add_event(e);
  }
  who.after_sync = false;
  if (!in_heap(word)) return;
  access(who, std::move(a));
  who.step();
}

// A volatile store or an atomic of compiled code: releases, and an atomic acquires as well. Its value is not known yet.
void Checker::native_update(Strand& who, const Op& op) {
  if (op.flags != SHMEMU_STORE)
    if (const Knowledge* k = flags_.last(op.remote)) who.learn(*k);
  if (in_heap(op.remote)) {
    Access a =
        made_by(who, op.flags == SHMEMU_STORE ? How::store : How::update, OpKind::order, op.remote, op.bytes, op.site);
    a.is_volatile = true;
    a.adds = op.flags != SHMEMU_STORE;
    access(who, std::move(a));
  }
  flags_.written(op.remote, *who.told());
  who.step();
}

void Checker::fence(Strand& who, bool completes, uint64_t site) {
  Clock issued = who.knowledge->executed.only(who.now.pe);
  issued.add_event(who.now);
  who.fence.join(issued);
  if (completes) {
    look_at_sources(who, false);
    who.edit().delivered.all.join(issued);
    who.sources.reset();
  }
  constexpr size_t kMostFences = 32;
  auto& last = last_fences_[who.now.pe];
  last.push_back({who.now, who.knowledge, world_.queue.now(), site});
  if (last.size() > kMostFences) last.erase(last.begin());
  who.step();
}

// ---- comparison ----

void Checker::access(Strand& who, Access a) {
  if (!a.bytes) return;
  uint64_t address = a.address, bytes = a.bytes;
  uint32_t number = accesses_.add(std::move(a));
  accesses_.refer(number);
  add(who, number, address, bytes);
  accesses_.release(number);
}

void Checker::add(Strand& who, uint32_t number, uint64_t address, uint64_t bytes) {
  const Access& later = accesses_[number];
  shadow_.add(address, bytes, number, [&](const Access& earlier, uint64_t begin, uint64_t end) {
    return compare(who, earlier, later, begin, end);
  });
}

// Whether the effect of `earlier` is over before `later`, an access of `who`, takes effect.
bool Checker::ordered(const Strand& who, const Access& earlier, const Access& later, uint64_t at) const {
  if (!who.knows(earlier.event_at(at))) return false;
  if (!earlier.posted) return true;
  bool local_side = earlier.how == How::source || earlier.how == How::landing;
  if (who.knowledge->delivered.covers(earlier.event, local_side ? earlier.toward : earlier.target, earlier.ticket))
    return true;
  bool both_travel = (earlier.how == How::remote_write || earlier.how == How::update) && later.posted &&
                     (later.how == How::remote_write || later.how == How::update);
  return both_travel && who.fence.contains(earlier.event);
}

bool Checker::compare(const Strand& first, const Access& earlier, const Access& later, uint64_t begin, uint64_t end) {
  // of a group that is added: the strand that `begin` tells
  const Strand& who = flushing_ && later.step ? flushing_->threads[later.event_at(begin).thread] : first;
  if (earlier.uses && later.how == How::load && earlier.how != How::remote_read)
    earlier.uses->used(begin, end, [&](const Uses::Doubt& d) {
      report(d.verdict.rule, d.verdict.what, d.verdict.remedy, d.earlier, d.later);
    });
  // threads of one PE among themselves: nothing to say, only whether the earlier one can be forgotten
  if (earlier.is_plain() && later.is_plain())
    return (later.how == How::store || earlier.how == How::load) && who.knows(earlier.event_at(begin)) &&
           (end - begin <= earlier.step || who.knows(earlier.event_at(end - 1)));
  if (earlier.step || later.step) {  // of groups: each thread that this is about, one after the other
    auto alone = [](const Access& group, uint64_t at) {
      Access a = group;
      if (!a.step) return a;
      a.event = group.event_at(at);
      a.address = group.base + a.event.thread * uint64_t{group.step};
      a.bytes = group.step;
      a.step = 0;
      return a;
    };
    bool forget = true;
    uint64_t step = !earlier.step ? later.step : !later.step ? earlier.step : std::min(earlier.step, later.step);
    for (uint64_t at = begin; at < end; at += step) {
      const Strand& its = flushing_ && later.step ? flushing_->threads[later.event_at(at).thread] : who;
      forget &= compare(its, alone(earlier, at), alone(later, at), at, at + 1);
    }
    return forget;
  }
  const uint64_t at = begin;
  if (widths_differ(earlier, later))
    report("type.width", fmt::format("the same word is used with {} and with {} bytes", earlier.bytes, later.bytes),
           "use one type for a word: atomics, signals and waits of the same width", earlier, later);
  if (types_differ(earlier, later))
    report("type.width", "a signal is awaited as a type that is not its own, for which its atomicity is not promised",
           "await it by nvshmem_signal_wait_until, or by a wait of uint64_t", earlier, later, true);
  bool before = ordered(who, earlier, later, at);
  if (!before && operators_differ(earlier, later))
    report("type.width", "one signal is set by one operation and added to by another, and nothing orders them",
           "use NVSHMEM_SIGNAL_SET or NVSHMEM_SIGNAL_ADD for a signal, not both", earlier, later);
  if (conflict(earlier, later) && !before) {
    Situation s;
    s.executed = who.knows(earlier.event);
    s.after_sync = who.after_sync;
    if (auto at = last_fences_.find(earlier.event.pe); at != last_fences_.end() && earlier.posted)
      for (const LastFence& f : at->second)
        s.fenced_elsewhere |= !f.at.same_thread(earlier.event) && !f.knowledge->executed.contains(earlier.event) &&
                              f.when >= earlier.when && who.knows(f.at);
    Verdict v = judge(earlier, later, s);
    const Access& get = earlier.how == How::remote_read ? earlier : later;
    const Access& other = &get == &earlier ? later : earlier;
    bool matters = !get.uses || get.how != How::remote_read || !(other.how == How::store && !other.ticket) ||
                   get.uses->any_used(begin + get.landed, end + get.landed);
    if (matters)
      report(v.rule, v.what, v.remedy, earlier, later);
    else
      get.uses->doubt(v, earlier, later, begin + get.landed, end + get.landed);
    return true;
  }
  // a wait for one value, and a write of another one that need not come after the wait
  auto may_pass = [](const Access& wait, const Access& write) {
    return wait.how == How::wait && wait.equal && write.ticket && write.writes() &&
           !(write.known_value && write.value == wait.value);
  };
  bool passes = may_pass(earlier, later) ? !who.knows(earlier.event) : may_pass(later, earlier) && !before;
  if (passes)
    report("sync.lost-wakeup", "a wait for an exact value may miss it: another write may already have changed the word",
           "wait for >= with values that only grow, or let the writer know first that the wait is over", earlier,
           later);
  if (!before) return false;
  if (later.writes()) return later.how != How::update || earlier.how != How::wait;
  return earlier.how == later.how;
}

}  // namespace shmemu::emu::checks
