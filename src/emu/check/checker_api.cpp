// What the API reports: collectives as a whole, allocations, plain accesses, copies; and how a finding is worded.
#include <fmt/format.h>

#include "emu/check/checker.hpp"
#include "emu/core/world.hpp"

namespace shmemu::emu::checks {
namespace {

auto key_of(const Collective& c) { return std::tuple{c.team, c.first_member, c.number}; }

}  // namespace

// ---- collectives: their steps are the library's, what they promise is not ----

void Checker::enter(Strand& who, Collective c) {
  who.inside = true;
  who.after_sync = false;
  if (!c.leader) return;
  for (auto [how, address, bytes] :
       {std::tuple{How::load, c.source, c.source_bytes}, {How::store, c.dest, c.dest_bytes}})
    if (bytes && in_heap(address)) {
      Access a = made_by(who, how, OpKind::none, address, bytes, c.site);
      a.call = c.call;
      access(who, std::move(a));
    }
  leading_[&who] = std::move(c);
  who.must_tell = true;
}

void Checker::tell(Strand& who) {
  who.must_tell = false;
  const Collective& c = leading_.at(&who);
  auto told = who.told();
  Knowledge& mine = meetings_[key_of(c)].told[who.now.pe];
  mine.join(*told);
  if (c.completes) mine.delivered.all.join(told->executed.only(who.now.pe));
  who.step();
}

void Checker::learn_from_others(Strand& who) {
  auto at = leading_.find(&who);
  if (at == leading_.end()) return;
  const Collective& c = at->second;
  Meeting& m = meetings_[key_of(c)];
  if (c.root) {
    if (auto root = m.told.find(*c.root); root != m.told.end()) who.learn(root->second);
    return;
  }
  if (m.told.size() < c.members) return;
  if (!m.all) {
    auto all = std::make_shared<Knowledge>();
    for (auto& [pe, told] : m.told) all->join(told);
    m.all = all;
  }
  who.learn(m.all);
  who.after_sync = c.sync_only;
}

void Checker::leave(Strand& who) {
  auto at = leading_.find(&who);
  if (at != leading_.end()) {
    if (who.must_tell) tell(who);
    learn_from_others(who);
    Meeting& m = meetings_[key_of(at->second)];
    if (++m.left == at->second.members) meetings_.erase(key_of(at->second));
    leading_.erase(&who);
  }
  who.inside = false;
}

// ---- memory ----

void Checker::touched(device::Lane* lane, const device::Cta* cta, PeId pe, uint64_t address, uint64_t bytes, bool write,
                      bool is_volatile, uint64_t site) {
  Strand& who = lane ? strand(*lane) : cta ? block(*cta).whole : host(pe);
  if (who.inside || !in_heap(address)) return;
  if (write) {
    flags_.forget(address, bytes);
  } else if (is_volatile) {
    if (const Knowledge* k = flags_.last(address)) who.learn(*k), who.after_sync = false;
  }
  How how = write ? How::store : How::load;
  if (who.recent != UINT32_MAX) {
    Access& a = accesses_[who.recent];
    const Event &e = a.event, &n = who.now;
    if (a.site == site && a.how == how && e.command == n.command && e.block_epoch == n.block_epoch &&
        e.warp_epoch == n.warp_epoch && e.thread_epoch == n.thread_epoch &&
        a.target.value == world_.heap.slot_of(address)) {
      a.address = address;
      a.bytes = bytes;
      return add(who, who.recent, address, bytes);
    }
    accesses_.release(who.recent);
  }
  Access a = made_by(who, how, OpKind::none, address, bytes, site);
  a.is_volatile = is_volatile;
  who.recent = accesses_.add(std::move(a));
  accesses_.refer(who.recent);
  add(who, who.recent, address, bytes);
}

void Checker::moved(const device::Command& c, uint64_t address, uint64_t bytes, bool write, uint64_t site) {
  if (!in_heap(address)) return;
  Strand& who = command(c.pe, c.number + 1).strand;
  if (write) flags_.forget(address, bytes);
  access(who, made_by(who, write ? How::store : How::load, c.kind, address, bytes, site));
}

void Checker::cleared(PeId pe, uint64_t address, uint64_t bytes, uint64_t site) {
  Strand& who = host(pe);
  access(who, made_by(who, How::store, OpKind::fill, address, bytes, site));
  who.step();
}

void Checker::allocated(uint64_t address, uint64_t bytes) {
  shadow_.clear(address, bytes);
  flags_.forget(address, bytes);
}

void Checker::freed(PeId pe, uint64_t address, uint64_t bytes, uint64_t site) {
  Strand& who = host(pe);
  Access end = made_by(who, How::store, OpKind::none, address, bytes, site);
  end.call = "free";
  std::set<uint64_t> told;  // sites
  shadow_.look(address, bytes, [&](const Access& a) {
    if (!ordered(who, a, end) && told.insert(a.site).second)
      report("sym.use-after-free", "memory is freed while an operation on it may still be under way",
             "complete the operations first: nvshmem_quiet, and cudaStreamSynchronize for what streams still do", a,
             end);
  });
  allocated(address, bytes);
}

// ---- wording ----

FindingPlace Checker::place(const Access& a) const {
  FindingPlace p;
  SourceLine line = world_.symbols.line(a.site);
  p.file = line.file;
  p.line = line.line;
  p.who = fmt::format("PE {}", a.event.pe.value);
  if (a.kernel) {
    p.who += " " + *a.kernel;
    if (a.event.block) p.who += fmt::format(" block {} thread {}", a.block_index, a.event.thread);
  } else {
    p.who += a.event.stream == kHostChain ? " host" : fmt::format(" stream {}", a.event.stream);
  }
  switch (a.op) {
    case OpKind::none:
      p.call = a.call ? a.call : a.how == How::load ? "load" : "store";
      break;
    case OpKind::order:
      p.call = a.how == How::update ? "atomic" : "volatile store";
      break;
    case OpKind::fill:
      p.call = "memset";
      break;
    default:
      p.call = name_of(a.op);
  }
  if (a.nbi) p.call += "_nbi";
  if (a.scope == Scope::warp) p.call += "_warp";
  if (a.scope == Scope::block) p.call += "_block";
  if (a.how == How::source) p.call = "source of " + p.call;
  if (a.how == How::landing) p.call = "result of " + p.call;
  return p;
}

void Checker::report(const char* rule, const std::string& what, const std::string& remedy, const Access& earlier,
                     const Access& later, bool note) {
  Finding f;
  f.rule = rule;
  f.note = note;
  f.what = what;
  f.remedy = remedy;
  f.first = place(earlier);
  f.second = place(later);
  uint64_t begin = std::max(earlier.address, later.address);
  uint64_t end = std::min(earlier.address + earlier.bytes, later.address + later.bytes);
  f.values = fmt::format("{}; {} and {}{}", world_.symbols.address(later.target, begin), bytes_to_text(earlier.bytes),
                         bytes_to_text(later.bytes),
                         end > begin && (earlier.bytes != later.bytes || end - begin != later.bytes)
                             ? fmt::format(", {} in common", bytes_to_text(end - begin))
                             : "");
  world_.report.findings.add(std::move(f));
}

}  // namespace shmemu::emu::checks
