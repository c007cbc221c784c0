// When two accesses to the same bytes conflict, and which rule of the vocabulary they break. No wording of places here.
#pragma once
#include <optional>
#include <string>

#include "emu/check/access.hpp"

namespace shmemu::emu::checks {

struct Verdict {
  const char* rule;
  std::string what, remedy;
};

// Whether the order of two accesses matters at all.
bool conflict(const Access& a, const Access& b);
// The same word used with different widths, whatever the order.
bool widths_differ(const Access& a, const Access& b);
// A word that signal operations update and a wait of another type than uint64_t looks at. Signals are atomic towards
// waits of their own type only (NVSHMEM 3.3.9, signalling operations).
bool types_differ(const Access& a, const Access& b);

// A signal that one sets and another one adds to: the set takes away what was added.
bool operators_differ(const Access& a, const Access& b);

struct Situation {
  bool executed = false;    // the later thread knows that the earlier operation was issued
  bool after_sync = false;  // … from a team sync
  bool fenced_elsewhere =
      false;  // a fence or quiet of another thread of the issuer came between, without knowing of it
};
// Of an unordered pair; `earlier` was seen first.
Verdict judge(const Access& earlier, const Access& later, const Situation& situation);

}  // namespace shmemu::emu::checks
