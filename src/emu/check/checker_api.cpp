// What the API reports: collectives as a whole, allocations, plain accesses, copies; and how a finding is worded.
#include <utility>

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

// By the owner, with something that announces nothing.
void Checker::overwritten(uint64_t address, uint64_t bytes) {
  flags_.forget(address, bytes);
  if (first_flags_.empty()) return;
  if (bytes <= 8)
    first_flags_.erase(address);
  else
    std::erase_if(first_flags_, [&](auto& f) { return f.first - address < bytes; });
}

void Checker::touched(device::Lane* lane, const device::Cta* cta, PeId pe, uint64_t address, uint64_t bytes, bool write,
                      bool is_volatile, uint64_t site) {
  Block* its_block = cta ? &block(*cta) : nullptr;
  Strand& who = lane ? its_block->threads[lane->thread] : its_block ? its_block->whole : hosts_[pe];
  if (!its_block && who.now.command == 0) host(pe);  // its first moment
  if (who.inside || !in_heap(address)) return;
  if (write) {
    overwritten(address, bytes);
  } else if (is_volatile) {
    if (const Knowledge* k = flags_.last(address)) learn_now(who, its_block, pe, *k);
  }
  // neighbouring threads with neighbouring addresses share a record
  uint64_t step = lane && bytes <= UINT32_MAX ? bytes : 0, base = address - (lane ? lane->thread * step : 0);
  Groups& groups = its_block ? its_block->groups : host_groups_[pe];
  GroupState& group =
      groups.find({site, step ? base : 0, bytes << 2 | uint64_t{write} << 1 | uint64_t{is_volatile}});
  if (group.access == UINT32_MAX || !group.same_moment(who.now)) {
    if (group.high) flush_one(group, who, its_block);
    if (group.access != UINT32_MAX) accesses_.release(group.access);
    Access a = made_by(who, write ? How::store : How::load, OpKind::none, address, bytes, site);
    a.is_volatile = is_volatile;
    a.base = base;
    a.step = static_cast<uint32_t>(step);
    group.access = accesses_.add(std::move(a));
    accesses_.refer(group.access);
    group.command = who.now.command, group.block_epoch = who.now.block_epoch;
    group.warp_epoch = who.now.warp_epoch, group.thread_epoch = who.now.thread_epoch;
  } else if (group.high) {
    if (address == group.high) {
      group.high += bytes;
      return;
    }
    if (address + bytes == group.low) {
      group.low = address;
      return;
    }
    if (address >= group.low && address + bytes <= group.high) return;
    flush_one(group, who, its_block);
  }
  group.low = address, group.high = address + bytes;
  if (!std::exchange(group.waiting, true)) groups.waiting.push_back(static_cast<uint32_t>(&group - groups.states.data()));
}

Checker::GroupState& Checker::Groups::find(const Group& place) {
  if (!states.empty()) {
    uint32_t next = states[last].next;
    if (states[next].place == place) return states[last = next];
  }
  auto [at, fresh] = by_place.try_emplace(place, static_cast<uint32_t>(states.size()));
  if (fresh) states.push_back({.place = place});
  states[last].next = at->second;
  return states[last = at->second];
}

// A plain access that a thread learns from: what it did before comes first.
void Checker::learn_now(Strand& who, Block* its_block, PeId pe, const Knowledge& k) {
  if (its_block)
    flush(its_block->groups, its_block->whole, its_block);
  else
    flush(host_groups_[pe], who, nullptr);
  who.learn(k);
  who.after_sync = false;
}

void Checker::flush_one(GroupState& group, Strand& who, Block* block) {
  Block* outer = std::exchange(flushing_, accesses_[group.access].step ? block : nullptr);
  uint64_t low = std::exchange(group.low, 0), high = std::exchange(group.high, 0);
  if (!accesses_[group.access].step) accesses_[group.access].address = low;
  add(who, group.access, low, high - low);
  flushing_ = outer;
}

void Checker::flush(Groups& groups, Strand& who, Block* block) {
  for (size_t i = 0; i < groups.waiting.size(); ++i) {
    GroupState& group = groups.states[groups.waiting[i]];
    group.waiting = false;
    if (group.high) flush_one(group, who, block);
  }
  groups.waiting.clear();
}

void Checker::flush_all() {
  for (auto& [cta, block] : blocks_) flush(block.groups, block.whole, &block);
  for (auto& [pe, groups] : host_groups_) flush(groups, hosts_[pe], nullptr);
}

void Checker::moved(const device::Command& c, uint64_t address, uint64_t bytes, bool write, uint64_t site) {
  if (!in_heap(address)) return;
  Strand& who = command(c.pe, c.number + 1).strand;
  if (write) overwritten(address, bytes);
  access(who, made_by(who, write ? How::store : How::load, c.kind, address, bytes, site));
}

void Checker::cleared(PeId pe, uint64_t address, uint64_t bytes, uint64_t site) {
  Strand& who = host(pe);
  access(who, made_by(who, How::store, OpKind::fill, address, bytes, site));
  who.step();
}

void Checker::allocated(uint64_t address, uint64_t bytes, bool filled) {
  shadow_.clear(address, bytes);
  flags_.forget(address, bytes);
  if (!filled && reports_accesses()) shadow_.unwritten().allocated(address, bytes);
  std::erase_if(first_flags_, [&](auto& f) { return f.first - address < bytes; });
}

void Checker::freed(PeId pe, uint64_t address, uint64_t bytes, uint64_t site) {
  Strand& who = host(pe);
  flush_all();
  Access end = made_by(who, How::store, OpKind::none, address, bytes, site);
  end.call = "free";
  std::set<uint64_t> told;  // sites
  shadow_.look(address, bytes, [&](const Access& a, uint64_t at, uint64_t) {
    if (!ordered(who, a, end, at) && told.insert(a.site).second)
      report("sym.use-after-free", "memory is freed while an operation on it may still be under way",
             "complete the operations first: nvshmem_quiet, and cudaStreamSynchronize for what streams still do", a,
             end);
  });
  allocated(address, bytes, true);
  shadow_.unwritten().written(address, bytes);
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
  if (a.how == How::fresh) p.call = a.call;
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
