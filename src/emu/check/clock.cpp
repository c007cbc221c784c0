#include "emu/check/clock.hpp"

#include <algorithm>

namespace shmemu::emu::checks {
namespace {

// A block has at most 1024 threads and 32 warps.
constexpr uint64_t kPlaces = 4096, kFirstWarp = 1, kFirstThread = 64;

uint64_t block_key(uint64_t block) { return block * kPlaces; }
uint64_t warp_key(uint64_t block, uint32_t warp) { return block * kPlaces + kFirstWarp + warp; }
uint64_t thread_key(uint64_t block, uint32_t thread) { return block * kPlaces + kFirstThread + thread; }

bool before(const Mark& mark, uint64_t key) { return mark.key < key; }

}  // namespace

Mark mark_of_block(const Event& e, uint32_t epoch) { return {block_key(e.block), epoch, e.stream, e.command}; }
Mark mark_of_warp(const Event& e, uint32_t epoch) { return {warp_key(e.block, e.warp), epoch, e.stream, e.command}; }
Mark mark_of_thread(const Event& e, uint32_t epoch) {
  return {thread_key(e.block, e.thread), epoch, e.stream, e.command};
}

uint32_t PeClock::epoch_of(uint64_t key) const {
  auto at = std::lower_bound(marks.begin(), marks.end(), key, before);
  return at != marks.end() && at->key == key ? at->epoch : 0;
}

bool PeClock::contains(const Event& e) const {
  auto at = commands.find(e.stream);
  if (at != commands.end() && at->second >= e.command) return true;
  if (e.block == 0 || marks.empty()) return false;
  return epoch_of(block_key(e.block)) > e.block_epoch || epoch_of(warp_key(e.block, e.warp)) > e.warp_epoch ||
         epoch_of(thread_key(e.block, e.thread)) > e.thread_epoch;
}

void PeClock::add(const Mark& mark) {
  if (auto at = commands.find(mark.stream); at != commands.end() && at->second >= mark.command) return;
  auto at = std::lower_bound(marks.begin(), marks.end(), mark.key, before);
  if (at != marks.end() && at->key == mark.key) {
    at->epoch = std::max(at->epoch, mark.epoch);
  } else {
    at = marks.insert(at, mark);
  }
  if (mark.key % kPlaces) return limit();
  // all threads have met: what was known of single ones is part of it
  auto last = std::lower_bound(at + 1, marks.end(), mark.key + kPlaces, before);
  marks.erase(at + 1, last);
}

void PeClock::advance(int stream, uint64_t command) {
  uint64_t& known = commands[stream];
  if (known >= command) return;
  known = command;
  prune();
}

void PeClock::prune() {
  std::erase_if(marks, [&](const Mark& m) {
    auto at = commands.find(m.stream);
    return at != commands.end() && at->second >= m.command;
  });
}

// Many marks cost more than they tell: a kernel with so many is taken as known as a whole. This can hide a mistake,
// never invent one.
void PeClock::limit() {
  constexpr size_t kMostMarks = 2048;
  if (marks.size() <= kMostMarks) return;
  for (const Mark& m : marks) commands[m.stream] = std::max(commands[m.stream], m.command);
  marks.clear();
}

void PeClock::join(const PeClock& other) {
  for (auto& [stream, command] : other.commands) commands[stream] = std::max(commands[stream], command);
  if (!other.marks.empty()) {
    std::vector<Mark> both;
    both.reserve(marks.size() + other.marks.size());
    auto a = marks.begin();
    for (const Mark& m : other.marks) {
      while (a != marks.end() && a->key < m.key) both.push_back(*a++);
      both.push_back(m);
      if (a != marks.end() && a->key == m.key) both.back().epoch = std::max(m.epoch, (a++)->epoch);
    }
    both.insert(both.end(), a, marks.end());
    marks = std::move(both);
  }
  prune();
  limit();
}

bool PeClock::covers(const PeClock& other) const {
  for (auto& [stream, command] : other.commands) {
    auto at = commands.find(stream);
    if (at == commands.end() || at->second < command) return false;
  }
  for (const Mark& m : other.marks) {
    auto at = commands.find(m.stream);
    if (at != commands.end() && at->second >= m.command) continue;
    if (epoch_of(m.key) < m.epoch) return false;
  }
  return true;
}

PeClock& Clock::change(PeId pe) {
  auto i = static_cast<size_t>(pe.value);
  auto parts = parts_ ? std::make_shared<std::vector<Part>>(*parts_) : std::make_shared<std::vector<Part>>();
  if (parts->size() <= i) parts->resize(i + 1);
  auto part = (*parts)[i] ? std::make_shared<PeClock>(*(*parts)[i]) : std::make_shared<PeClock>();
  PeClock& own = *part;
  (*parts)[i] = std::move(part);
  parts_ = std::move(parts);
  return own;
}

void Clock::join(const Clock& other) {
  if (parts_ == other.parts_ || !other.parts_) return;
  if (!parts_) {
    parts_ = other.parts_;
    return;
  }
  std::shared_ptr<std::vector<Part>> mine;  // made when something is new
  size_t n = other.parts_->size();
  for (size_t i = 0; i < n; ++i) {
    const Part& theirs = (*other.parts_)[i];
    const Part& ours = i < parts_->size() ? (*parts_)[i] : Part();
    if (!theirs || theirs == ours) continue;
    Part joined;
    if (!ours || theirs->covers(*ours)) {
      joined = theirs;
    } else if (ours->covers(*theirs)) {
      continue;
    } else {
      auto both = std::make_shared<PeClock>(*ours);
      both->join(*theirs);
      joined = std::move(both);
    }
    if (!mine) {
      mine = std::make_shared<std::vector<Part>>(*parts_);
      mine->resize(std::max(n, mine->size()));
    }
    (*mine)[i] = std::move(joined);
  }
  if (mine) parts_ = std::move(mine);
}

void Clock::add(PeId pe, const Mark& mark) { change(pe).add(mark); }
void Clock::advance(PeId pe, int stream, uint64_t command) { change(pe).advance(stream, command); }

Clock Clock::only(PeId pe) const {
  auto i = static_cast<size_t>(pe.value);
  Clock out;
  if (!parts_ || i >= parts_->size() || !(*parts_)[i]) return out;
  auto parts = std::make_shared<std::vector<Part>>(i + 1);
  (*parts)[i] = (*parts_)[i];
  out.parts_ = std::move(parts);
  return out;
}

void Clock::add_event(const Event& e) {
  if (contains(e)) return;
  if (e.block)
    add(e.pe, mark_of_thread(e, e.thread_epoch + 1));
  else
    advance(e.pe, e.stream, e.command);
}

uint64_t Clock::newest_command(PeId pe, int stream) const {
  auto i = static_cast<size_t>(pe.value);
  if (!parts_ || i >= parts_->size() || !(*parts_)[i]) return 0;
  uint64_t newest = 0;
  for (auto& [s, command] : (*parts_)[i]->commands)
    if (s != stream && s != kHostChain) newest = std::max(newest, command);
  for (const Mark& m : (*parts_)[i]->marks)
    if (m.stream != stream && m.stream != kHostChain) newest = std::max(newest, m.command);
  return newest;
}

}  // namespace shmemu::emu::checks
