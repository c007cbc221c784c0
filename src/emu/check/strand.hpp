// A strand: one thread of control as the checker follows it (a PE's host, a stream command, a GPU thread), with the
// moment it has reached and what it knows. Threads that know the same share it.
#pragma once
#include <memory>

#include "emu/check/access.hpp"

namespace shmemu::emu::checks {

// The source of a non-blocking put in memory of its own thread, and what it held at the call.
struct OwnSource {
  Access put;
  uint64_t address = 0;
  std::vector<std::byte> bytes;
};

struct Strand {
  Event now;
  std::shared_ptr<const Knowledge> knowledge = std::make_shared<const Knowledge>();
  // Operations issued in these events come before this strand's later ones to the same PE. A PE's own affair: joined
  // between its strands, never sent to others.
  Clock fence;
  const std::string* kernel = nullptr;
  uint32_t block_index = 0;
  bool inside = false;           // a collective, whose steps are not the program's
  bool must_tell = false;        // … and the others have not heard of it yet
  bool after_sync = false;       // the last thing learned came from a sync, which completes nothing
  std::shared_ptr<std::vector<OwnSource>> sources;  // not known to be complete

  bool knows(const Event& e) const { return e.same_thread(now) || knowledge->executed.contains(e); }
  Knowledge& edit() {
    auto own = std::make_shared<Knowledge>(*knowledge);
    Knowledge& k = *own;
    knowledge = std::move(own);
    return k;
  }
  void learn(const Knowledge& other) {
    if (&other != knowledge.get()) edit().join(other);
  }
  void learn(const std::shared_ptr<const Knowledge>& other) {
    if (other != knowledge) edit().join(*other);
  }
  // What others may learn from it now: all it knows and has done.
  std::shared_ptr<const Knowledge> told() const {
    auto all = std::make_shared<Knowledge>(*knowledge);
    all->executed.add_event(now);
    return all;
  }
  // Later moments are not part of what was told until now.
  void step() {
    if (now.block)
      ++now.thread_epoch;
    else if (now.stream == kHostChain)
      ++now.command;
  }
};

}  // namespace shmemu::emu::checks
