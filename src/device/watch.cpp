#include "device/watch.hpp"

#include <algorithm>

namespace shmemu::device {
namespace {

void erase_from(std::vector<Actor*>& list, Actor* actor) {
  if (auto at = std::find(list.begin(), list.end(), actor); at != list.end()) list.erase(at);
}

}  // namespace

void WatchTable::add(Actor& actor, uint64_t address, uint64_t bytes) {
  auto& lines = where_[&actor];
  if (lines.empty()) of_pe_[actor.pe].push_back(&actor);
  for (uint64_t line = address / kLine; line <= (address + (bytes ? bytes : 1) - 1) / kLine; ++line) {
    if (std::find(lines.begin(), lines.end(), line) != lines.end()) continue;
    lines.push_back(line);
    lines_[line].push_back(&actor);
  }
}

void WatchTable::on_lines(uint64_t address, uint64_t bytes, std::vector<Actor*>& out) const {
  uint64_t last = (address + (bytes ? bytes : 1) - 1) / kLine;
  for (auto at = lines_.lower_bound(address / kLine); at != lines_.end() && at->first <= last; ++at)
    for (Actor* a : at->second)
      if (std::find(out.begin(), out.end(), a) == out.end()) out.push_back(a);
}

void WatchTable::of_pe(PeId pe, bool unknown_only, std::vector<Actor*>& out) const {
  if (auto at = unknown_.find(pe); at != unknown_.end()) out.insert(out.end(), at->second.begin(), at->second.end());
  if (unknown_only) return;
  if (auto at = of_pe_.find(pe); at != of_pe_.end()) out.insert(out.end(), at->second.begin(), at->second.end());
}

void WatchTable::everyone(std::vector<Actor*>& out) const {
  for (auto& [pe, list] : of_pe_) out.insert(out.end(), list.begin(), list.end());
  for (auto& [pe, list] : unknown_) out.insert(out.end(), list.begin(), list.end());
}

void WatchTable::remove(Actor& actor) {
  if (auto at = unknown_.find(actor.pe); at != unknown_.end()) erase_from(at->second, &actor);
  auto at = where_.find(&actor);
  if (at == where_.end()) return;
  for (uint64_t line : at->second) {
    auto entry = lines_.find(line);
    erase_from(entry->second, &actor);
    if (entry->second.empty()) lines_.erase(entry);
  }
  erase_from(of_pe_[actor.pe], &actor);
  where_.erase(at);
}

}  // namespace shmemu::device
