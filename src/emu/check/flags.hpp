// Words that announce something: what each write to them lets a waiter conclude. A waiter concludes only what every run
// lets it conclude: of the writes that satisfy its condition and were not undone since, the first.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "emu/check/knowledge.hpp"

namespace shmemu::emu::checks {

class Flags {
 public:
  // `value` is the word after the write; `adds`: what earlier writes have announced stays announced.
  void written(uint64_t word, uint64_t value, bool adds, const Knowledge& knowledge);
  // The same by a plain access, whose value is not known.
  void written(uint64_t word, const Knowledge& knowledge);
  // Bytes were overwritten by something that announces nothing.
  void forget(uint64_t address, uint64_t bytes);
  // Null when no write in memory satisfies `holds`.
  const Knowledge* announced(uint64_t word, const std::function<bool(uint64_t)>& holds) const;
  const Knowledge* last(uint64_t word) const;

 private:
  static constexpr size_t kMost = 64;  // writes kept per word
  struct Write {
    uint64_t value = 0;
    bool known = true;
    Knowledge knowledge;
  };
  void push(uint64_t word, Write write);
  std::map<uint64_t, std::vector<Write>> words_;
};

}  // namespace shmemu::emu::checks
