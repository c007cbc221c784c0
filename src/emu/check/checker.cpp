// Operations: what they access, what their arrival and completion let others know, and the comparison with what the
// shadow remembers.
#include "emu/check/checker.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "device/atomics.hpp"
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

}  // namespace

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
  // local sides first: a put reads its source before it writes anything
  if (op.bytes && (load || store))
    pieces(op.local, op.local_stride, [&](uint64_t address, uint64_t bytes) {
      How how = load ? (op.nbi ? How::landing : How::store) : (op.nbi ? How::source : How::load);
      Access a = made_by(who, how, op.kind, address, bytes, op.site);
      a.nbi = op.nbi;
      a.scope = op.scope;
      if (op.nbi) a.posted = true, a.ticket = op.ticket;
      access(who, std::move(a));
    });
  if (op.bytes && (load || store))
    pieces(op.remote, op.remote_stride, [&](uint64_t address, uint64_t bytes) {
      Access a = remote(load ? How::remote_read : How::remote_write, address, bytes);
      if (store && is_flag(op) && op.local) a.known_value = true, a.value = word_at(op.local, op.bytes);
      access(who, std::move(a));
    });
  if (update && in_heap(op.remote)) {
    Access a = remote(How::update, op.remote, op.bytes);
    a.adds = op.function != SHMEMU_AMO_SET && op.function != SHMEMU_AMO_SWAP;
    a.known_value = !a.adds, a.value = op.value;
    access(who, std::move(a));
  }
  if (signals && in_heap(op.signal)) {
    Access a = remote(How::update, op.signal, 8);
    a.adds = op.signal_op == Op::kSignalAdd;
    a.known_value = !a.adds, a.value = op.value;
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
  if (op.kind == OpKind::none) return;
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
  if (const Knowledge* k = flags_.announced(word, holds)) {
    who.learn(*k);
  } else if (in_heap(word)) {
    // a word in the middle of a larger put: that this put has been issued is known, and that this word is there
    std::vector<Event> seen;
    shadow_.look(word, op.bytes, [&](const Access& a) {
      if (a.how == How::remote_write && !in_flight_.contains(a.ticket)) seen.push_back(a.event);
    });
    for (const Event& e : seen) who.edit().executed.add_event(e);
  }
  who.after_sync = false;
  if (!in_heap(word)) return;
  Access a = made_by(who, How::wait, op.kind, word, op.bytes, op.site);
  a.type = op.type;
  a.equal = op.function == Op::kEqual && op.kind == OpKind::wait;
  a.value = value;
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
  if (completes) who.edit().delivered.all.join(issued);
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
  shadow_.add(address, bytes, number, [&](const Access& earlier) { return compare(who, earlier, later); });
}

// Whether the effect of `earlier` is over before `later`, an access of `who`, takes effect.
bool Checker::ordered(const Strand& who, const Access& earlier, const Access& later) const {
  if (!who.knows(earlier.event)) return false;
  if (!earlier.posted) return true;
  if (who.knowledge->delivered.covers(earlier.event, earlier.target, earlier.ticket)) return true;
  bool both_travel = (earlier.how == How::remote_write || earlier.how == How::update) && later.posted &&
                     (later.how == How::remote_write || later.how == How::update);
  return both_travel && who.fence.contains(earlier.event);
}

bool Checker::compare(const Strand& who, const Access& earlier, const Access& later) {
  if (widths_differ(earlier, later))
    report("type.width", fmt::format("the same word is used with {} and with {} bytes", earlier.bytes, later.bytes),
           "use one type for a word: atomics, signals and waits of the same width", earlier, later);
  if (types_differ(earlier, later))
    report("type.width", "a signal is awaited as a type that is not its own, for which its atomicity is not promised",
           "await it by nvshmem_signal_wait_until, or by a wait of uint64_t", earlier, later, true);
  bool before = ordered(who, earlier, later);
  if (conflict(earlier, later) && !before) {
    Situation s;
    s.executed = who.knows(earlier.event);
    s.after_sync = who.after_sync;
    if (auto at = last_fences_.find(earlier.event.pe); at != last_fences_.end() && earlier.posted)
      for (const LastFence& f : at->second)
        s.fenced_elsewhere |= !f.at.same_thread(earlier.event) && !f.knowledge->executed.contains(earlier.event) &&
                              f.when >= earlier.when && who.knows(f.at);
    Verdict v = judge(earlier, later, s);
    report(v.rule, v.what, v.remedy, earlier, later);
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
