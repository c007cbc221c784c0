#include "may_wait.hpp"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "runtime_calls.hpp"
#include "symbol_names.hpp"
#include "trace_values.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

bool differs(const FunctionFacts& a, const FunctionFacts& b) {
  return a.may_wait != b.may_wait || a.uses_context != b.uses_context || a.watches != b.watches ||
         a.reads_clock != b.reads_clock || a.writes != b.writes || a.watched_argument != b.watched_argument;
}

/// The watched word of a function that watches `pointer` (+ offset), if that is one of its arguments.
std::optional<FunctionFacts::WatchedArgument> as_argument(Value* pointer, int64_t offset, uint32_t bytes,
                                                          const DataLayout& layout) {
  auto [base, distance] = base_and_offset(pointer, layout);
  auto* argument = dyn_cast<Argument>(base);
  if (!argument || argument->hasByValAttr()) return std::nullopt;
  return FunctionFacts::WatchedArgument{argument->getArgNo(), distance + offset, bytes};
}

}  // namespace

bool is_watched_access(const Instruction& instruction) {
  if (auto* load = dyn_cast<LoadInst>(&instruction)) {
    if (!load->isVolatile() && !load->isAtomic()) return false;
  } else if (!isa<AtomicRMWInst>(instruction) && !isa<AtomicCmpXchgInst>(instruction)) {
    return false;
  }
  const Value* object = getUnderlyingObject(access_of(instruction).pointer);
  return !isa<AllocaInst>(object) || PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
}

CallFacts::CallFacts(Module& module, bool host) : host_(host) {
  unknown_.may_wait = unknown_.uses_context = unknown_.watches = !host;
  unknown_.writes = true;
  for (Function& function : module)
    if (function.isDeclaration()) facts_[&function] = of_declaration(function);
  for (bool changed = true; changed;) {
    changed = false;
    for (Function& function : module) {
      if (function.isDeclaration()) continue;
      FunctionFacts now = summarise(function);
      FunctionFacts& known = facts_[&function];
      changed |= differs(now, known);
      known = now;
    }
  }
}

const FunctionFacts& CallFacts::of(const Function& function) const {
  auto found = facts_.find(&function);
  return found == facts_.end() ? unknown_ : found->second;
}

const FunctionFacts& CallFacts::of(const CallBase& call) const {
  static const FunctionFacts nothing;
  if (call.isInlineAsm()) return nothing;
  auto* callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
  return callee ? of(*callee) : unknown_;
}

FunctionFacts CallFacts::of_declaration(const Function& function) const {
  const StringRef name = function.getName();
  FunctionFacts facts;
  if (function.isIntrinsic()) {
    facts.writes = !function.onlyReadsMemory() && !name.starts_with("llvm.dbg.") && !name.starts_with("llvm.lifetime.");
    return facts;
  }
  facts.writes = !function.onlyReadsMemory();
  facts.may_wait = may_stop(name);
  facts.reads_clock = reads_clock(name);
  facts.uses_context = name.starts_with("__shmemu_") || name.starts_with("nvshmem");
  if (!host_ && name.starts_with(device_prefix)) return unknown_;  // of another translation unit
  return facts;
}

FunctionFacts CallFacts::summarise(Function& function) const {
  FunctionFacts facts;
  unsigned watched = 0;
  std::optional<FunctionFacts::WatchedArgument> word;
  const DataLayout& layout = function.getParent()->getDataLayout();
  for (Instruction& i : instructions(function)) {
    if (is_watched_access(i)) {
      ++watched;
      const MemoryAccess access = access_of(i);
      word = as_argument(access.pointer, 0, access.bytes, layout);
    }
    if (auto* store = dyn_cast<StoreInst>(&i);
        store && !local_slot(store->getPointerOperand()) && !is_work_counter(store->getPointerOperand()))
      facts.writes = true;
    if (isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i)) facts.writes = true;
    auto* call = dyn_cast<CallBase>(&i);
    if (!call) continue;
    const FunctionFacts& callee = of(*call);
    facts.may_wait |= callee.may_wait;
    facts.uses_context |= callee.uses_context;
    facts.reads_clock |= callee.reads_clock;
    facts.writes |= callee.writes;
    if (!callee.watches) continue;
    ++watched;
    word = std::nullopt;
    if (callee.watched_argument && callee.watched_argument->index < call->arg_size())
      word = as_argument(call->getArgOperand(callee.watched_argument->index), callee.watched_argument->offset,
                         callee.watched_argument->bytes, layout);
  }
  facts.watches = watched > 0;
  if (watched == 1) facts.watched_argument = word;
  return facts;
}

}  // namespace shmemu::plugin
