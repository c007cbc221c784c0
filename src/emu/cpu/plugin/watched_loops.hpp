// Finds the loops that wait for memory: those that end when a volatile or atomic read gives another value.
//
// Backward slices of the exit conditions are followed inside the loop, through local variables, calls and the
// branches that decide which value a variable gets. The result says what the loop reads and whether sleeping until
// that word changes is all it needs (see shmemu_poll_flags in abi.h).
#pragma once

#include <vector>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Dominators.h"
#include "may_wait.hpp"

namespace shmemu::plugin {

struct WatchedLoop {
  llvm::Loop* loop = nullptr;
  llvm::Value* address = nullptr;  // the one watched word, invariant in the loop
  int64_t offset = 0;
  uint32_t bytes = 0;
  bool mixed = false;  // may also end, or go on, for another reason than a change of watched memory
  bool clock = false;  // reads virtual time
  llvm::DebugLoc place;
};

std::vector<WatchedLoop> find_watched_loops(llvm::LoopInfo&, llvm::DominatorTree&, const CallFacts&, bool host);

/// The value can be computed again, with the same result, in every round of the loop.
bool is_invariant(const llvm::Value*, const llvm::Loop&, bool memory_changes);

}  // namespace shmemu::plugin
