// A rule of the vocabulary that a call breaks: one finding with two places, the call and what it does not agree with
// (an allocation, the other PE's call). With --check the run goes on where it can; else the caller ends it.
#pragma once
#include <string>

#include "emu/core/current.hpp"

namespace shmemu::emu {

class World;

// The other place of a finding.
struct Elsewhere {
  PeId pe;
  uint64_t site = 0;
  std::string call, who;  // who: empty = the host of `pe`
};
// Where the memory at `address` was allocated; without a site when nobody allocated it.
Elsewhere allocation_of(const World& world, uint64_t address);

struct BrokenRule {
  const char* rule;
  std::string call;
  uint64_t site = 0;
  std::string what, values, remedy;
  Elsewhere other{};
  bool note = false;
};
// Of the running thread. The same rule between the same places is one finding; true if it is new.
bool note_broken(const BrokenRule& broken);

// Ends the run with the message of a broken rule, which begins with the rule's name. What follows the last semicolon of
// the text is the remedy.
template <class... T>
[[noreturn]] void broken_rule(const char* rule, const char* call, uint64_t site, const Elsewhere& other,
                              fmt::format_string<T...> format, T&&... values) {
  std::string what = fmt::format(format, std::forward<T>(values)...);
  size_t cut = what.rfind("; ");
  note_broken({rule, call, site, what.substr(0, cut), "", cut == std::string::npos ? "" : what.substr(cut + 2), other});
  program_error(site, "{}: {}: {}", rule, call, what);
}

}  // namespace shmemu::emu
