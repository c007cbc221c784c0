// What a call of a function may lead to, known for every function of the module (the call graph is followed).
#pragma once

#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace shmemu::plugin {

struct FunctionFacts {
  bool may_wait = false;      // the running thread can stop inside
  bool uses_context = false;  // needs to know which thread runs
  bool watches = false;       // reads memory that others change: volatile or atomic load, atomic with result
  bool reads_clock = false;
  bool writes = false;  // may change memory other than its own locals
  /// The only thing it watches is *(argument + offset).
  struct WatchedArgument {
    unsigned index;
    int64_t offset;
    uint32_t bytes;
    bool operator==(const WatchedArgument&) const = default;
  };
  std::optional<WatchedArgument> watched_argument;
};

/// A volatile or atomic read of memory outside this thread's own locals.
bool is_watched_access(const llvm::Instruction&);

class CallFacts {
 public:
  /// In host code, functions of other files are taken to neither wait nor watch.
  CallFacts(llvm::Module&, bool host);

  const FunctionFacts& of(const llvm::Function&) const;
  /// Facts of the callee; of "any function" when it is not known.
  const FunctionFacts& of(const llvm::CallBase&) const;

 private:
  FunctionFacts of_declaration(const llvm::Function&) const;
  FunctionFacts summarise(llvm::Function&) const;

  llvm::DenseMap<const llvm::Function*, FunctionFacts> facts_;
  FunctionFacts unknown_;
  bool host_;
};

}  // namespace shmemu::plugin
