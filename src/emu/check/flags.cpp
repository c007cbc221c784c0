#include "emu/check/flags.hpp"

namespace shmemu::emu::checks {

void Flags::push(uint64_t word, Write write) {
  auto& writes = words_[word];
  writes.push_back(std::move(write));
  if (writes.size() > kMost) writes.erase(writes.begin());
}

void Flags::written(uint64_t word, uint64_t value, bool adds, const Knowledge& knowledge) {
  Write write{value, true, knowledge};
  if (auto at = words_.find(word); adds && at != words_.end()) write.knowledge.join(at->second.back().knowledge);
  push(word, std::move(write));
}

void Flags::written(uint64_t word, const Knowledge& knowledge) {
  auto& writes = words_[word];
  if (!writes.empty() && !writes.back().known) return writes.back().knowledge.join(knowledge);
  Write write{0, false, knowledge};
  if (!writes.empty()) write.knowledge.join(writes.back().knowledge);
  push(word, std::move(write));
}

void Flags::forget(uint64_t address, uint64_t bytes) {
  words_.erase(words_.lower_bound(address), words_.lower_bound(address + bytes));
}

const Knowledge* Flags::announced(uint64_t word, const std::function<bool(uint64_t)>& holds) const {
  auto at = words_.find(word);
  if (at == words_.end()) return nullptr;
  const Knowledge* first = nullptr;
  for (auto write = at->second.rbegin(); write != at->second.rend(); ++write) {
    if (write->known && !holds(write->value)) {
      if (first) break;
      continue;  // came after the waiter had seen its value, and before it went on
    }
    first = &write->knowledge;
  }
  return first;
}

const Knowledge* Flags::last(uint64_t word) const {
  auto at = words_.find(word);
  return at == words_.end() ? nullptr : &at->second.back().knowledge;
}

}  // namespace shmemu::emu::checks
