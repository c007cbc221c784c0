// Plain accesses to peer memory (pointers of nvshmem_ptr): every device function gets a second version, `name.checked`,
// in which a load, store or atomic whose address lies in the symmetric heaps asks the runtime first. It carries out
// those on a peer's heap as one-sided operations in virtual time; all others stay native. A PE runs the checked kernels
// once it holds a peer's address (abi.h: shmemu_kernel::checked), so nobody else pays for the checks.
//
// Not checked: calls through function pointers, atomics without a counterpart in NVSHMEM (min, max, nand, floats).
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes.hpp"
#include "runtime_calls.hpp"
#include "symbol_names.hpp"
#include "trace_values.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

constexpr uint64_t longest_copy = 256;  // longer copies of structs stay native

/// shmemu_amo of abi.h for an atomic operation; none if the runtime has no such operation.
std::optional<unsigned> atomic_code(AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case AtomicRMWInst::Add:
      return 1;
    case AtomicRMWInst::And:
      return 2;
    case AtomicRMWInst::Or:
      return 3;
    case AtomicRMWInst::Xor:
      return 4;
    case AtomicRMWInst::Xchg:
      return 5;
    default:
      return std::nullopt;
  }
}
constexpr unsigned compare_swap_code = 6, wants_result = 0x100;
constexpr unsigned type_u32 = 5, type_u64 = 7;  // shmemu_type

/// Rewrites the accesses of one checked function.
class Checker {
 public:
  explicit Checker(Function& function) : function_(function), layout_(function.getParent()->getDataLayout()) {}

  void check(Instruction& i) {
    if (auto* load = dyn_cast<LoadInst>(&i)) return check_load(*load);
    if (auto* store = dyn_cast<StoreInst>(&i)) return check_store(*store);
    if (auto* update = dyn_cast<AtomicRMWInst>(&i)) return check_update(*update);
    if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i)) return check_exchange(*exchange);
    if (auto* copy = dyn_cast<MemCpyInst>(&i)) return check_copy(*copy);
  }

 private:
  /// Splits before `access`: runs `ask` when the address lies in the heaps. Returns the block for the case that the
  /// runtime has done it; it ends in a branch behind the access.
  template <class Ask>
  BasicBlock* before(Instruction& access, Value* pointer, Ask ask) {
    IRBuilder<> builder(&access);
    Value* distance = builder.CreateSub(
        builder.CreatePtrToInt(pointer, builder.getInt64Ty()),
        builder.CreatePtrToInt(call_runtime(builder, "__shmemu_get_heaps_begin"), builder.getInt64Ty()));
    Value* bytes = builder.CreatePtrToInt(call_runtime(builder, "__shmemu_get_heaps_bytes"), builder.getInt64Ty());
    Value* inside = builder.CreateICmpULT(distance, bytes);
    BasicBlock* head = access.getParent();
    BasicBlock* native = head->splitBasicBlock(access.getIterator());
    BasicBlock* tail = native->splitBasicBlock(std::next(access.getIterator()));
    BasicBlock* question = BasicBlock::Create(function_.getContext(), "in_heaps", &function_, native);
    BasicBlock* done = BasicBlock::Create(function_.getContext(), "of_peer", &function_, native);
    ReplaceInstWithInst(head->getTerminator(), BranchInst::Create(question, native, inside));
    IRBuilder<> slow(question);
    slow.SetCurrentDebugLocation(access.getDebugLoc());
    Value* answered = slow.CreateICmpNE(ask(slow), slow.getInt32(0));
    slow.CreateCondBr(answered, done, native);
    IRBuilder<>(done).CreateBr(tail);
    return done;
  }

  AllocaInst* slot(Type* type) {
    IRBuilder<> builder(&function_.getEntryBlock(), function_.getEntryBlock().getFirstInsertionPt());
    AllocaInst* made = builder.CreateAlloca(type, nullptr, "of_peer");
    made->setAlignment(Align(16));
    return made;
  }

  /// The result is `other` where control comes from `done`.
  void merge(Instruction& native, BasicBlock* done, Value* other) {
    BasicBlock* tail = done->getSingleSuccessor();
    PHINode* phi = PHINode::Create(native.getType(), 2, "", tail->begin());
    native.replaceAllUsesWith(phi);
    phi->addIncoming(&native, native.getParent());
    phi->addIncoming(other, done);
  }

  void check_load(LoadInst& load) {
    const uint64_t bytes = layout_.getTypeStoreSize(load.getType());
    AllocaInst* value = slot(load.getType());
    BasicBlock* done = before(load, load.getPointerOperand(), [&](IRBuilder<>& b) {
      return call_runtime(b, "__shmemu_peer_load", {load.getPointerOperand(), b.getInt32(bytes), value});
    });
    IRBuilder<> builder(done->getTerminator());
    merge(load, done, builder.CreateLoad(load.getType(), value));
  }

  void check_store(StoreInst& store) {
    Value* what = store.getValueOperand();
    const uint64_t bytes = layout_.getTypeStoreSize(what->getType());
    AllocaInst* value = slot(what->getType());
    before(store, store.getPointerOperand(), [&](IRBuilder<>& b) {
      b.CreateStore(what, value);
      return call_runtime(b, "__shmemu_peer_store", {store.getPointerOperand(), b.getInt32(bytes), value});
    });
  }

  void check_copy(MemCpyInst& copy) {
    auto* length = dyn_cast<ConstantInt>(copy.getLength());
    if (!length || length->getZExtValue() > longest_copy) return;
    const uint64_t bytes = length->getZExtValue();
    AllocaInst* value = slot(ArrayType::get(Type::getInt8Ty(function_.getContext()), bytes));
    const bool from_elsewhere = !is_private_memory(copy.getSource()), to_elsewhere = !is_private_memory(copy.getDest());
    if (from_elsewhere) {  // through a local copy, which is the source from then on
      IRBuilder<> builder(&copy);
      CallInst* first = builder.CreateMemCpy(value, Align(16), copy.getSource(), copy.getSourceAlign(), bytes);
      Value* source = copy.getSource();
      copy.setSource(value);
      copy.setSourceAlignment(Align(16));
      before(*first, source, [&](IRBuilder<>& b) {
        return call_runtime(b, "__shmemu_peer_load", {source, b.getInt32(bytes), value});
      });
    }
    if (!to_elsewhere) return;
    before(copy, copy.getDest(), [&](IRBuilder<>& b) {
      return call_runtime(b, "__shmemu_peer_store", {copy.getDest(), b.getInt32(bytes), copy.getSource()});
    });
  }

  /// 32- and 64-bit integers, which is what the runtime's atomics take.
  std::optional<unsigned> type_code(const Type* type) const {
    if (type->isIntegerTy(32)) return type_u32;
    if (type->isIntegerTy(64)) return type_u64;
    return std::nullopt;
  }

  void check_update(AtomicRMWInst& update) {
    const std::optional<unsigned> code = atomic_code(update.getOperation()), type = type_code(update.getType());
    if (!code || !type) return;
    AllocaInst* old = slot(Type::getInt64Ty(function_.getContext()));
    const unsigned operation = *code | (is_result_unused(&update) ? 0 : wants_result);
    BasicBlock* done = before(update, update.getPointerOperand(), [&](IRBuilder<>& b) {
      return call_runtime(b, "__shmemu_peer_atomic",
                          {update.getPointerOperand(), b.getInt32(operation), b.getInt32(*type),
                           b.CreateZExt(update.getValOperand(), b.getInt64Ty()), b.getInt64(0), old});
    });
    IRBuilder<> builder(done->getTerminator());
    merge(update, done, builder.CreateTrunc(builder.CreateLoad(builder.getInt64Ty(), old), update.getType()));
  }

  void check_exchange(AtomicCmpXchgInst& exchange) {
    const std::optional<unsigned> type = type_code(exchange.getNewValOperand()->getType());
    if (!type) return;
    AllocaInst* old = slot(Type::getInt64Ty(function_.getContext()));
    BasicBlock* done = before(exchange, exchange.getPointerOperand(), [&](IRBuilder<>& b) {
      return call_runtime(b, "__shmemu_peer_atomic",
                          {exchange.getPointerOperand(), b.getInt32(compare_swap_code | wants_result),
                           b.getInt32(*type), b.CreateZExt(exchange.getNewValOperand(), b.getInt64Ty()),
                           b.CreateZExt(exchange.getCompareOperand(), b.getInt64Ty()), old});
    });
    IRBuilder<> b(done->getTerminator());
    Value* was = b.CreateTrunc(b.CreateLoad(b.getInt64Ty(), old), exchange.getNewValOperand()->getType());
    Value* result = b.CreateInsertValue(PoisonValue::get(exchange.getType()), was, 0);
    merge(exchange, done, b.CreateInsertValue(result, b.CreateICmpEQ(was, exchange.getCompareOperand()), 1));
  }

  Function& function_;
  const DataLayout& layout_;
};

Function* copy_of(Function& function) {
  ValueToValueMapTy values;
  Function* copy = CloneFunction(&function, values);
  copy->setName(function.getName() + checked_suffix);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setComdat(nullptr);
  for (const char* attribute : {kernel_attribute, bound_attribute}) copy->removeFnAttr(attribute);
  return copy;
}

bool may_be_of_peer(const Instruction& i) {
  if (auto* copy = dyn_cast<MemCpyInst>(&i))
    return !is_private_memory(copy->getSource()) || !is_private_memory(copy->getDest());
  const MemoryAccess access = access_of(i);
  return access.pointer && !is_private_memory(access.pointer);
}

}  // namespace

void check_peer_accesses(Module& module) {
  SmallVector<Function*, 32> functions;
  bool any_kernel = false;
  for (Function& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage()) continue;
    functions.push_back(&function);
    any_kernel |= function.hasFnAttribute(kernel_attribute);
  }
  if (!any_kernel) return;
  DenseMap<const Function*, Function*> copies;
  for (Function* function : functions) copies[function] = copy_of(*function);
  for (Function* function : functions) {
    Function& copy = *copies[function];
    SmallVector<Instruction*, 32> accesses;
    for (Instruction& i : instructions(copy)) {
      if (may_be_of_peer(i)) accesses.push_back(&i);
      auto* call = dyn_cast<CallBase>(&i);
      if (Function* other = call && call->getCalledFunction() ? copies.lookup(call->getCalledFunction()) : nullptr)
        call->setCalledFunction(other);
    }
    Checker checker(copy);
    for (Instruction* i : accesses) checker.check(*i);
  }
}

}  // namespace shmemu::plugin
