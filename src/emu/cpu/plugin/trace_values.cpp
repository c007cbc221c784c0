#include "trace_values.hpp"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "runtime_calls.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

StoreInst* only_store(const AllocaInst& slot) {
  StoreInst* found = nullptr;
  for (const User* user : slot.users())
    if (auto* store = dyn_cast<StoreInst>(user)) {
      if (found) return nullptr;
      found = const_cast<StoreInst*>(store);
    }
  return found;
}

bool is_private_object(const Value* object) {
  if (isa<AllocaInst>(object)) return true;
  if (auto* argument = dyn_cast<Argument>(object)) return argument->hasByValAttr();
  auto* call = dyn_cast<CallBase>(object);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && (callee->getName() == "__shmemu_get_shared" || callee->getName() == "__shmemu_get_dynamic_shared" ||
                    callee->getName() == "__shmemu_get_work");
}

/// Results of all calls, when the function is called only directly and only from here.
bool add_call_results(Function& function, SmallVectorImpl<Value*>& work) {
  if (!function.hasLocalLinkage()) return false;
  for (User* user : function.users()) {
    auto* call = dyn_cast<CallBase>(user);
    if (!call || call->getCalledFunction() != &function) return false;
    work.push_back(call);
  }
  return true;
}

}  // namespace

bool is_work_counter(const Value* pointer) {
  auto* call = dyn_cast<CallBase>(getUnderlyingObject(pointer, /*MaxLookup=*/0));
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__shmemu_get_work";
}

AllocaInst* local_slot(const Value* pointer) {
  auto* slot = dyn_cast<AllocaInst>(pointer);
  return slot && isAllocaPromotable(slot) ? const_cast<AllocaInst*>(slot) : nullptr;
}

Value* strip_slots(Value* value) {
  for (int depth = 0; depth < 32; ++depth) {
    Value* stripped = value->stripPointerCasts();
    if (auto* load = dyn_cast<LoadInst>(stripped))
      if (AllocaInst* slot = local_slot(load->getPointerOperand()))
        if (StoreInst* store = only_store(*slot)) stripped = store->getValueOperand();
    if (stripped == value) break;
    value = stripped;
  }
  return value;
}

std::pair<Value*, int64_t> base_and_offset(Value* pointer, const DataLayout& layout) {
  int64_t total = 0;
  for (int depth = 0; depth < 32; ++depth) {
    APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    total += offset.getSExtValue();
    base = strip_slots(base);
    if (base == pointer) break;
    pointer = base;
  }
  return {pointer, total};
}

bool is_private_memory(Value* pointer) {
  SmallPtrSet<const Value*, 16> seen;
  SmallVector<Value*, 8> work{pointer};
  while (!work.empty()) {
    Value* object = strip_slots(const_cast<Value*>(getUnderlyingObject(work.pop_back_val(), /*MaxLookup=*/0)));
    if (!seen.insert(object).second) continue;
    if (seen.size() > 32) return false;
    if (auto* phi = dyn_cast<PHINode>(object)) {
      append_range(work, phi->incoming_values());
    } else if (auto* select = dyn_cast<SelectInst>(object)) {
      work.append({select->getTrueValue(), select->getFalseValue()});
    } else if (isa<GEPOperator>(object) || isa<AddrSpaceCastOperator>(object)) {
      work.push_back(cast<Operator>(object)->getOperand(0));  // found behind a slot
    } else if (!is_private_object(object)) {
      return false;
    }
  }
  return true;
}

bool is_result_unused(Instruction* instruction) {
  SmallPtrSet<Value*, 16> seen;
  SmallVector<Value*, 8> work{instruction};
  while (!work.empty()) {
    Value* value = work.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (User* user : value->users()) {
      auto* i = cast<Instruction>(user);
      if (auto* store = dyn_cast<StoreInst>(i)) {
        AllocaInst* slot = local_slot(store->getPointerOperand());
        if (!slot) return false;
        for (User* other : slot->users())
          if (isa<LoadInst>(other)) work.push_back(other);
      } else if (isa<ReturnInst>(i)) {
        if (!add_call_results(*i->getFunction(), work)) return false;
      } else if (i->isTerminator() || isa<LoadInst>(i) || i->mayHaveSideEffects()) {
        return false;
      } else {
        work.push_back(i);
      }
    }
  }
  return true;
}

MemoryAccess access_of(const Instruction& instruction) {
  const DataLayout& layout = instruction.getModule()->getDataLayout();
  auto bytes = [&](const Value* value) { return static_cast<uint32_t>(layout.getTypeStoreSize(value->getType())); };
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    return {const_cast<Value*>(load->getPointerOperand()), bytes(load)};
  if (auto* store = dyn_cast<StoreInst>(&instruction))
    return {const_cast<Value*>(store->getPointerOperand()), bytes(store->getValueOperand())};
  if (auto* update = dyn_cast<AtomicRMWInst>(&instruction))
    return {const_cast<Value*>(update->getPointerOperand()), bytes(update)};
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return {const_cast<Value*>(exchange->getPointerOperand()), bytes(exchange->getNewValOperand())};
  return {};
}

}  // namespace shmemu::plugin
