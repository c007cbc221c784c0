#include "watched_loops.hpp"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "runtime_calls.hpp"
#include "trace_values.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

const Value* condition_of(const BasicBlock& block) {
  const Instruction* end = block.getTerminator();
  if (auto* branch = dyn_cast<BranchInst>(end)) return branch->isConditional() ? branch->getCondition() : nullptr;
  if (auto* choice = dyn_cast<SwitchInst>(end)) return choice->getCondition();
  return nullptr;
}

bool stored_in(const AllocaInst& slot, const Loop& loop) {
  return any_of(slot.users(), [&](const User* user) {
    auto* store = dyn_cast<StoreInst>(user);
    return store && loop.contains(store);
  });
}

/// An atomic that, repeated on an unchanged word, leaves it unchanged (test-and-set, add of 0 …).
bool is_repeatable(const AtomicRMWInst& update) {
  auto* operand = dyn_cast<ConstantInt>(strip_slots(const_cast<Value*>(update.getValOperand())));
  if (operand && operand->isZero()) return update.getOperation() != AtomicRMWInst::Nand;
  switch (update.getOperation()) {
    case AtomicRMWInst::Xchg:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Max:
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMax:
    case AtomicRMWInst::UMin:
      return true;
    default:
      return false;
  }
}

/// What the whole loop body does besides watching.
struct BodyEffects {
  bool writes = false;                    // memory that is not a local variable
  std::vector<const Instruction*> stops;  // calls in which the thread can stop

  /// A plain read may give another value in the next round.
  bool changes_memory() const { return writes || !stops.empty(); }
};

BodyEffects effects_of(const Loop& loop, const CallFacts& facts, bool host) {
  BodyEffects effects;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& i : *block) {
      if (auto* store = dyn_cast<StoreInst>(&i))
        effects.writes |= !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand())) &&
                          !is_work_counter(store->getPointerOperand());
      auto* call = dyn_cast<CallBase>(&i);
      if (!call || isa<DbgInfoIntrinsic>(call)) continue;
      const FunctionFacts& callee = facts.of(*call);
      if (callee.may_wait) effects.stops.push_back(call);
      if (callee.writes && !callee.watches && !only_synchronises(call->getCalledFunction())) {
        effects.writes = true;
        if (host && !isa<IntrinsicInst>(call)) effects.stops.push_back(call);  // any library call may yield
      }
    }
  return effects;
}

/// Follows values backwards from the exit conditions of one loop.
class ExitSlice {
 public:
  ExitSlice(const Loop& loop, const DominatorTree& dominators, const CallFacts& facts, const BodyEffects& effects)
      : loop_(loop), dominators_(dominators), facts_(facts), effects_(effects) {}

  void follow(const Value* value) {
    auto* instruction = dyn_cast_or_null<Instruction>(value);
    if (!instruction || !loop_.contains(instruction)) return;
    if (active_.contains(instruction)) mixed = true;  // depends on its value of the round before: a counter
    if (!seen_.insert(instruction).second) return;
    active_.insert(instruction);
    visit(*instruction);
    active_.erase(instruction);
  }

  /// The branches inside the loop that decide whether `block` runs.
  void follow_control(const BasicBlock* block) {
    if (!controls_.insert(block).second) return;
    follow(condition_of(*block));
    for (const auto* node = dominators_.getNode(block); node && node->getBlock() != loop_.getHeader();
         node = node->getIDom()) {
      const auto* above = node->getIDom();
      if (!above || !loop_.contains(above->getBlock())) break;
      follow(condition_of(*above->getBlock()));
    }
  }

  std::vector<const Instruction*> accesses;
  bool mixed = false;
  bool clock = false;

 private:
  void visit(const Instruction& i) {
    if (is_watched_access(i))
      visit_access(i);
    else if (auto* load = dyn_cast<LoadInst>(&i))
      visit_load(*load);
    else if (auto* call = dyn_cast<CallBase>(&i))
      visit_call(*call);
    else if (auto* phi = dyn_cast<PHINode>(&i))
      visit_phi(*phi);
    else
      follow_operands(i);
  }

  void follow_operands(const Instruction& i) {
    for (const Use& operand : i.operands()) follow(operand);
  }

  void visit_access(const Instruction& i) {
    if (auto* update = dyn_cast<AtomicRMWInst>(&i)) {
      if (!is_repeatable(*update)) {  // every round changes the word: the loop works, it does not wait
        mixed = true;
        return;
      }
      mixed |= varies(update->getValOperand());
    }
    if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i))
      mixed |= varies(exchange->getCompareOperand()) || varies(exchange->getNewValOperand());
    accesses.push_back(&i);
  }

  bool varies(const Value* value) const { return !is_invariant(value, loop_, effects_.changes_memory()); }

  void visit_load(const LoadInst& load) {
    const Value* object = getUnderlyingObject(load.getPointerOperand(), /*MaxLookup=*/0);
    if (!isa<AllocaInst>(object)) {
      mixed |= effects_.changes_memory();
      follow(load.getPointerOperand());
      return;
    }
    if (!active_slots_.insert(object).second) {
      mixed = true;  // a variable computed from itself
      return;
    }
    for (const BasicBlock* block : loop_.blocks())
      for (const Instruction& i : *block) {
        auto* store = dyn_cast<StoreInst>(&i);
        if (!store || getUnderlyingObject(store->getPointerOperand(), 0) != object) continue;
        seen_.erase(dyn_cast<Instruction>(store->getValueOperand()));
        follow(store->getValueOperand());
        follow_control(block);
      }
    active_slots_.erase(object);
  }

  void visit_phi(const PHINode& phi) {
    for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k) {
      if (!loop_.contains(phi.getIncomingBlock(k))) continue;
      follow(phi.getIncomingValue(k));
      follow_control(phi.getIncomingBlock(k));
    }
  }

  void visit_call(const CallBase& call) {
    const FunctionFacts& callee = facts_.of(call);
    clock |= callee.reads_clock;
    mixed |= callee.reads_clock;
    if (callee.watches) {
      accesses.push_back(&call);
      for (const Use& argument : call.args()) mixed |= varies(argument);
    } else if (callee.writes || callee.may_wait) {
      mixed = true;
    } else {
      follow_operands(call);
    }
  }

  const Loop& loop_;
  const DominatorTree& dominators_;
  const CallFacts& facts_;
  const BodyEffects& effects_;
  SmallPtrSet<const Value*, 32> seen_, active_, active_slots_;
  SmallPtrSet<const BasicBlock*, 16> controls_;
};

struct Word {
  Value* address = nullptr;
  int64_t offset = 0;
  uint32_t bytes = 0;
};

/// The word that an access or a watching call reads; no address when it is not known.
Word word_of(const Instruction& access, const CallFacts& facts) {
  if (auto* call = dyn_cast<CallBase>(&access)) {
    const auto& argument = facts.of(*call).watched_argument;
    if (!argument || argument->index >= call->arg_size()) return {};
    return {call->getArgOperand(argument->index), argument->offset, argument->bytes};
  }
  const MemoryAccess plain = access_of(access);
  return {plain.pointer, 0, plain.bytes};
}

bool is_same_value(Value* a, Value* b) {
  a = strip_slots(a), b = strip_slots(b);
  if (a == b) return true;
  auto *x = dyn_cast<Instruction>(a), *y = dyn_cast<Instruction>(b);
  if (!x || !y || !x->isSameOperationAs(y) || isa<CallBase, PHINode, AllocaInst>(x)) return false;
  for (unsigned k = 0; k < x->getNumOperands(); ++k)
    if (!is_same_value(x->getOperand(k), y->getOperand(k))) return false;
  return true;
}

void describe_accesses(WatchedLoop& watched, const ExitSlice& slice, const BodyEffects& effects, const CallFacts& facts,
                       const DominatorTree& dominators) {
  const Loop& loop = *watched.loop;
  watched.place = slice.accesses.front()->getDebugLoc();
  bool one_word = true;
  for (const Instruction* access : slice.accesses) {
    const Word word = word_of(*access, facts);
    if (!word.address || !is_invariant(word.address, loop, effects.changes_memory())) {
      watched.mixed |= word.address != nullptr;  // another word in every round
      one_word = false;
    } else if (!watched.address) {
      watched.address = word.address;
      watched.offset = word.offset;
      watched.bytes = word.bytes;
    } else if (!is_same_value(watched.address, word.address) || watched.offset != word.offset) {
      one_word = false;
    }
    // A stop between the read and the end of the round could miss the change.
    for (const Instruction* stop : effects.stops)
      if (stop != access && !dominators.dominates(stop, access)) watched.mixed = true;
  }
  if (!one_word) watched.address = nullptr;
}

}  // namespace

bool is_invariant(const Value* value, const Loop& loop, bool memory_changes) {
  auto* i = dyn_cast<Instruction>(strip_slots(const_cast<Value*>(value)));
  if (!i || !loop.contains(i)) return true;
  if (auto* load = dyn_cast<LoadInst>(i)) {
    if (load->isVolatile() || load->isAtomic()) return false;
    if (AllocaInst* slot = local_slot(load->getPointerOperand())) return !stored_in(*slot, loop);
    if (memory_changes) return false;
  } else if (auto* call = dyn_cast<CallBase>(i)) {
    const Function* callee = call->getCalledFunction();
    if (!callee || !(find_context_field(callee->getName()) || callee->doesNotAccessMemory())) return false;
  } else if (isa<PHINode>(i) || i->mayReadOrWriteMemory() || i->isTerminator()) {
    return false;
  }
  return all_of(i->operands(), [&](const Use& use) { return is_invariant(use, loop, memory_changes); });
}

std::vector<WatchedLoop> find_watched_loops(LoopInfo& loops, DominatorTree& dominators, const CallFacts& facts,
                                            bool host) {
  std::vector<WatchedLoop> found;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    const BodyEffects effects = effects_of(*loop, facts, host);
    SmallVector<BasicBlock*, 8> exiting;
    loop->getExitingBlocks(exiting);
    ExitSlice slice(*loop, dominators, facts, effects);
    for (const BasicBlock* block : exiting) {
      slice.follow(condition_of(*block));
      slice.follow_control(block);
    }
    WatchedLoop watched;
    watched.loop = loop;
    watched.mixed = slice.mixed || effects.writes;
    watched.clock = slice.clock;
    if (exiting.empty() && effects.stops.empty()) {  // for (;;): any watched access will do
      watched.mixed = true;
      for (const BasicBlock* block : loop->blocks())
        for (const Instruction& i : *block) {
          auto* call = dyn_cast<CallBase>(&i);
          if (is_watched_access(i) || (call && facts.of(*call).watches)) slice.accesses.push_back(&i);
        }
    }
    if (slice.accesses.empty()) continue;
    describe_accesses(watched, slice, effects, facts, dominators);
    found.push_back(watched);
  }
  return found;
}

}  // namespace shmemu::plugin
