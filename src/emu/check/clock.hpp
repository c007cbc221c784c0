// Vector clocks of the checker. An Event is a moment of one thread (of a host, a stream command or a GPU thread); a
// Clock is the set of events that somebody knows to have happened.
//
// A GPU has too many threads for a clock with an entry each. Therefore events carry the whole hierarchy they lie in
// (command of a stream, block, warp, thread) and a clock says per PE: commands of a stream up to a number, and below
// that marks of blocks, warps or threads. A barrier of a block is one mark, the end of a kernel one number.
// Clocks are values that share their parts; joining two equal ones costs a comparison of pointers.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/ids.hpp"

namespace shmemu::emu::checks {

constexpr int kHostChain = -1;

struct Event {
  PeId pe;
  int stream = kHostChain;
  uint64_t command = 0;  // counts commands of the PE from 1; on the host chain: moments of the host
  uint64_t block = 0;    // number of the block in the run, from 1; 0: the command itself
  uint32_t warp = 0, thread = 0;
  uint32_t block_epoch = 0, warp_epoch = 0, thread_epoch = 0;
  bool same_thread(const Event& o) const {
    return pe == o.pe && stream == o.stream && block == o.block && thread == o.thread &&
           (block || stream == kHostChain || command == o.command);
  }
};

// What is below a command: everything of a block, warp or thread before `epoch`.
struct Mark {
  uint64_t key = 0;  // place in the hierarchy, see mark_of_…
  uint32_t epoch = 0;
  int stream = 0;
  uint64_t command = 0;
};
Mark mark_of_block(const Event& e, uint32_t epoch);
Mark mark_of_warp(const Event& e, uint32_t epoch);
Mark mark_of_thread(const Event& e, uint32_t epoch);

// Events of one PE.
struct PeClock {
  std::map<int, uint64_t> commands;  // by stream: all up to this number
  std::vector<Mark> marks;           // ascending keys
  bool contains(const Event& e) const;
  void add(const Mark& mark);
  void advance(int stream, uint64_t command);
  void join(const PeClock& other);
  bool covers(const PeClock& other) const;

 private:
  uint32_t epoch_of(uint64_t key) const;
  void prune();
  void limit();
};

class Clock {
 public:
  bool contains(const Event& e) const {
    auto i = static_cast<size_t>(e.pe.value);
    return parts_ && i < parts_->size() && (*parts_)[i] && (*parts_)[i]->contains(e);
  }
  void join(const Clock& other);
  void add(PeId pe, const Mark& mark);
  void advance(PeId pe, int stream, uint64_t command);
  // The newest command of another stream of `pe` than `stream` that it holds a part of; 0: none.
  uint64_t newest_command(PeId pe, int stream) const;
  // The events of `pe` alone.
  Clock only(PeId pe) const;
  // `e` itself and what its thread did before.
  void add_event(const Event& e);

 private:
  using Part = std::shared_ptr<const PeClock>;
  PeClock& change(PeId pe);  // a part of our own; valid until the next call
  std::shared_ptr<const std::vector<Part>> parts_;
};

}  // namespace shmemu::emu::checks
