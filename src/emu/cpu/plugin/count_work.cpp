// Counted work: what device code computes between two interactions, added up while it runs.
//
// Each basic block adds constants to two words of the running thread (`shmemu_thread_context::work`, layout in abi.h):
// issue slots, cycles of the longest dependent chain, dependent loads from beyond L1, and bytes. A third word keeps one
// address that was accessed: samples of it tell how much memory a kernel goes through again and again. The constants
// come from a private copy of the function that is simplified without changing its flow, in the one state that is the
// same for every -O: so neither optimisation nor vectorising nor checking changes the virtual time. Counters live in
// registers; they are written out before everything that can stop the thread, and at the end.
//
// Where the source says more than the IR: loads through one pointer in one block are taken as neighbours (one fetches
// the line, the others hit L1); a load from an address that does not change in its loop hits L1; a loop with a constant
// step and no stores is taken as unrolled by four, as nvcc does.
#include <map>

#include "instruction_cost.hpp"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "may_wait.hpp"
#include "passes.hpp"
#include "runtime_calls.hpp"
#include "trace_values.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

constexpr unsigned unrolled = 4;

/// Work of a piece of a basic block that is executed as a whole.
struct Work {
  uint64_t quarter_slots = 0, cycles = 0, quarter_loads = 0, bytes = 0;
  uint64_t arrays = 0;  // different objects that the bytes belong to
  uint64_t first_word() const { return quarter_slots | cycles << 32; }
  uint64_t second_word() const { return quarter_loads | bytes << 32; }
};

/// Others may run or look at the clock here, so the counters must be up to date.
bool is_flush_point(const Instruction& i, const CallFacts& facts) {
  if (auto* store = dyn_cast<StoreInst>(&i)) return store->isVolatile() || store->isAtomic();
  if (is_watched_access(i) || isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i)) return true;
  auto* call = dyn_cast<CallBase>(&i);
  return call && !isa<IntrinsicInst>(call) && facts.of(*call).may_wait;
}

/// A look at memory that others change: what it costs must be known when the thread stops at the poll behind it.
bool is_look(const Instruction& i) { return isa<LoadInst>(i) && is_watched_access(i); }

/// The phi of a loop that counts by a constant.
bool counts_by_constant(const Loop& loop) {
  const BasicBlock* latch = loop.getLoopLatch();
  if (!latch) return false;
  for (const PHINode& phi : loop.getHeader()->phis()) {
    auto* step = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(latch));
    if (!step || (step->getOpcode() != Instruction::Add && step->getOpcode() != Instruction::Sub)) continue;
    if (step->getOperand(0) == &phi && isa<ConstantInt>(step->getOperand(1))) return true;
  }
  return false;
}

bool is_unrolled(const Loop& loop, const CallFacts& facts) {
  if (!loop.isInnermost() || !counts_by_constant(loop)) return false;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& i : *block) {
      if (is_flush_point(i, facts)) return false;
      auto* store = dyn_cast<StoreInst>(&i);
      if (store && space_of(store->getPointerOperand()) != Space::local) return false;
    }
  return true;
}

/// Loop bookkeeping that unrolling shares between rounds: the counter, its comparison and the branch.
bool is_bookkeeping(const Instruction& i, const Loop& loop) {
  if (i.isTerminator()) return true;
  auto* step = dyn_cast<BinaryOperator>(&i);
  if (step && isa<ConstantInt>(step->getOperand(1))) {
    auto* phi = dyn_cast<PHINode>(step->getOperand(0));
    return phi && phi->getParent() == loop.getHeader();
  }
  auto* compare = dyn_cast<CmpInst>(&i);
  return compare && compare->hasOneUse() && isa<BranchInst>(compare->user_back());
}

/// Bytes that the loads or stores of a piece move beyond L1.
class Traffic {
 public:
  explicit Traffic(const DataLayout& layout) : layout_(layout) {}

  void add(const Value* pointer, uint64_t bytes) {
    APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
    const Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
    auto& pieces = objects_[getUnderlyingObject(pointer, 0)][base];
    pieces[offset.getSExtValue()] = std::max(pieces[offset.getSExtValue()], bytes);
  }

  void add_objects(SmallPtrSetImpl<const Value*>& to) const {
    for (const auto& [object, bases] : objects_) to.insert(object);
  }

  /// Of each object the largest piece that is accessed at once; the other pieces are its neighbours.
  uint64_t bytes() const {
    uint64_t total = 0;
    for (const auto& [object, bases] : objects_) {
      uint64_t largest = 0;
      for (const auto& [base, pieces] : bases) {
        uint64_t sum = 0;
        for (const auto& [offset, size] : pieces) sum += size;
        largest = std::max(largest, std::min<uint64_t>(sum, 16));
      }
      total += largest;
    }
    return total;
  }

 private:
  const DataLayout& layout_;
  std::map<const Value*, std::map<const Value*, std::map<int64_t, uint64_t>>>
      objects_;  // sums only: order is no matter
};

/// Measures one simplified function.
class Meter {
 public:
  Meter(Function& function, const CallFacts& facts)
      : layout_(function.getParent()->getDataLayout()), facts_(facts), dominators_(function), loops_(dominators_) {}

  /// One entry up to each flush point (behind a look, before anything else) and one for the rest of the block.
  std::vector<Work> measure(const BasicBlock& block) {
    std::vector<Work> pieces;
    loop_ = loops_.getLoopFor(&block);
    unroll_ = loop_ && is_unrolled(*loop_, facts_) ? unrolled : 1;
    begin_piece();
    for (const Instruction& i : block) {
      if (is_look(i)) add(i);
      if (is_flush_point(i, facts_)) {
        pieces.push_back(end_piece());
        begin_piece();
      }
      if (!is_look(i)) add(i);
    }
    pieces.push_back(end_piece());
    return pieces;
  }

 private:
  struct Moment {  // when a value is there, counted from the beginning of the piece
    uint64_t cycles = 0, loads = 0;
  };

  void begin_piece() {
    work_ = {};
    ready_.clear();
    chain_ = {};
    loaded_ = std::make_unique<Traffic>(layout_);
    stored_ = std::make_unique<Traffic>(layout_);
  }

  Work end_piece() {
    work_.cycles += chain_.cycles;
    work_.quarter_loads = chain_.loads * 4 / unroll_;
    work_.bytes = loaded_->bytes() + stored_->bytes();
    SmallPtrSet<const Value*, 8> objects;
    loaded_->add_objects(objects);
    stored_->add_objects(objects);
    work_.arrays = objects.size();
    return work_;
  }

  void add(const Instruction& i) {
    if (isa<PHINode>(i)) return;
    const InstructionCost cost = cost_of(i);
    const bool shared = unroll_ > 1 && is_bookkeeping(i, *loop_);
    work_.quarter_slots += shared ? cost.quarter_slots / unroll_ : cost.quarter_slots;
    if (i.isTerminator() || is_subroutine(i)) {  // beside everything else, not on the chain of one value
      work_.cycles += shared ? cost.cycles / unroll_ : cost.cycles;
      return;
    }
    Moment ready;
    for (const Value* operand : i.operands())
      if (auto known = ready_.find(operand); known != ready_.end()) {
        ready.cycles = std::max(ready.cycles, known->second.cycles);
        ready.loads = std::max(ready.loads, known->second.loads);
      }
    ready.cycles += shared ? cost.cycles / unroll_ : cost.cycles;
    ready.loads += add_traffic(i);
    ready_[&i] = ready;
    chain_.cycles = std::max(chain_.cycles, ready.cycles);
    chain_.loads = std::max(chain_.loads, ready.loads);
  }

  /// 1 if the instruction waits for memory beyond L1.
  unsigned add_traffic(const Instruction& i) {
    if (auto* load = dyn_cast<LoadInst>(&i)) {
      if (!load->isSimple()) return space_of(load->getPointerOperand()) == Space::global;  // L1 is not asked
      if (!goes_beyond_l1(load->getPointerOperand())) return 0;
      loaded_->add(load->getPointerOperand(), layout_.getTypeStoreSize(load->getType()));
      return 1;
    }
    if (auto* store = dyn_cast<StoreInst>(&i)) {
      if (store->isSimple() && space_of(store->getPointerOperand()) == Space::global)
        stored_->add(store->getPointerOperand(), layout_.getTypeStoreSize(store->getValueOperand()->getType()));
      return 0;
    }
    auto* copy = dyn_cast<MemTransferInst>(&i);
    auto* length = copy ? dyn_cast<ConstantInt>(copy->getLength()) : nullptr;
    if (!length) return 0;
    if (space_of(copy->getDest()) == Space::global) stored_->add(copy->getDest(), length->getZExtValue());
    if (!goes_beyond_l1(copy->getSource())) return 0;
    loaded_->add(copy->getSource(), length->getZExtValue());
    return 1;
  }

  bool goes_beyond_l1(const Value* pointer) const {
    return space_of(pointer) == Space::global && !(loop_ && loop_->isLoopInvariant(pointer));
  }

  const DataLayout& layout_;
  const CallFacts& facts_;
  DominatorTree dominators_;
  LoopInfo loops_;
  const Loop* loop_ = nullptr;
  unsigned unroll_ = 1;
  Work work_;
  Moment chain_;
  DenseMap<const Value*, Moment> ready_;
  std::unique_ptr<Traffic> loaded_, stored_;
};

/// Work of every block of `function`, measured on a simplified copy.
DenseMap<const BasicBlock*, std::vector<Work>> measure(Function& function, const CallFacts& facts,
                                                       FunctionAnalysisManager& analyses) {
  ValueToValueMapTy values;
  Function* copy = CloneFunction(&function, values);
  FunctionPassManager simplify;
  simplify.addPass(SROAPass(SROAOptions::PreserveCFG));
  simplify.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  simplify.addPass(InstCombinePass());
  simplify.run(*copy, analyses);
  DenseMap<const BasicBlock*, std::vector<Work>> result;
  {
    Meter meter(*copy, facts);
    for (const BasicBlock& block : function) {
      auto* twin = dyn_cast_or_null<BasicBlock>(static_cast<Value*>(values[&block]));
      if (twin) result[&block] = meter.measure(*twin);
    }
  }
  analyses.clear(*copy, copy->getName());
  copy->eraseFromParent();
  return result;
}

/// The pointer of the last plain access to global memory between two instructions of a block; none if there is none.
Value* last_access(Instruction* begin, const Instruction* end) {
  Value* found = nullptr;
  for (Instruction* i = begin; i && i != end; i = i->getNextNode()) {
    Value* pointer = isa<LoadInst>(i) || isa<StoreInst>(i) ? getLoadStorePointerOperand(i) : nullptr;
    if (pointer && space_of(pointer) == Space::global && !is_work_counter(pointer)) found = pointer;
  }
  return found;
}

/// The counters of a function while it runs.
class Counters {
 public:
  /// `samples`: addresses are kept too, for whoever takes the counters in the middle.
  Counters(Function& function, bool samples) {
    IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().getFirstInsertionPt());
    if (samples) {
      touched_ = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "touched");
      builder.CreateStore(builder.getInt64(0), touched_);
    }
    for (AllocaInst*& word : words_) word = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "work");
    for (AllocaInst* word : words_) builder.CreateStore(builder.getInt64(0), word);
  }

  void add(IRBuilderBase& builder, const Work& work) {
    for (auto [word, value] : zip(words_, std::array{work.first_word(), work.second_word()}))
      if (value)
        builder.CreateStore(builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), word), builder.getInt64(value)),
                            word);
  }

  void sample(IRBuilderBase& builder, Value* pointer, uint64_t arrays) {
    if (!touched_ || !pointer) return;
    Value* page = builder.CreateAnd(builder.CreatePtrToInt(pointer, builder.getInt64Ty()), ~(page_bytes - 1));
    builder.CreateStore(builder.CreateOr(page, std::min(arrays, page_bytes - 1)), touched_);
  }

  /// `in_order`: in a loop that waits, where the runtime takes the counters in every round (stage "lower" puts the poll
  /// there); nothing may be kept in registers or moved to the end.
  void flush(IRBuilderBase& builder, bool in_order) {
    Value* place = call_runtime(builder, "__shmemu_get_work");
    for (auto [index, word] : enumerate(words_)) {
      Value* target = builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), place, index);
      LoadInst* known = builder.CreateLoad(builder.getInt64Ty(), target);
      known->setVolatile(in_order);
      Value* sum = builder.CreateAdd(known, builder.CreateLoad(builder.getInt64Ty(), word));
      builder.CreateStore(sum, target)->setVolatile(in_order);
      builder.CreateStore(builder.getInt64(0), word);
    }
    if (!touched_) return;
    Value* target = builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), place, words_.size());
    builder.CreateStore(builder.CreateLoad(builder.getInt64Ty(), touched_), target)->setVolatile(in_order);
  }

 private:
  static constexpr uint64_t page_bytes = 4096;
  std::array<AllocaInst*, 2> words_{};
  AllocaInst* touched_ = nullptr;
};

void count_function(Function& function, const CallFacts& facts, FunctionAnalysisManager& analyses) {
  const auto work = measure(function, facts, analyses);
  SmallVector<BasicBlock*, 32> blocks;
  for (BasicBlock& block : function) blocks.push_back(&block);
  const bool stops = any_of(instructions(function), [&](const Instruction& i) { return is_flush_point(i, facts); });
  Counters counters(function, stops);
  for (BasicBlock* block : blocks) {
    auto found = work.find(block);
    if (found == work.end()) continue;
    SmallVector<Instruction*, 8> points;
    for (Instruction& i : *block)
      if (is_flush_point(i, facts)) points.push_back(&i);
    std::vector<Work> pieces = found->second;
    pieces.resize(points.size() + 1);  // simplified, a block may have lost a volatile local
    Instruction* piece_begin = &block->front();
    for (size_t k = 0; k < pieces.size(); ++k) {
      Instruction* at = k == points.size()    ? block->getTerminator()
                        : is_look(*points[k]) ? points[k]->getNextNode()
                                              : points[k];
      IRBuilder<> builder(at);
      builder.SetCurrentDebugLocation(at->getDebugLoc());
      counters.add(builder, pieces[k]);
      if (pieces[k].bytes) counters.sample(builder, last_access(piece_begin, at), pieces[k].arrays);
      piece_begin = at;
      if (k < points.size())
        counters.flush(builder, is_watched_access(*points[k]));
      else if (isa<ReturnInst>(at))
        counters.flush(builder, /*in_order=*/false);
    }
  }
}

}  // namespace

void count_work(Module& module, ModuleAnalysisManager& analyses) {
  AlwaysInlinerPass().run(module, analyses);  // clang has already done it at -O0
  analyses.invalidate(module, PreservedAnalyses::none());
  const CallFacts facts(module, /*host=*/false);
  auto& of_functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  of_functions.clear();  // of functions that the inliner has removed
  SmallVector<Function*, 32> functions;
  for (Function& function : module)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage()) functions.push_back(&function);
  for (Function* function : functions) count_function(*function, facts, of_functions);
}

}  // namespace shmemu::plugin
