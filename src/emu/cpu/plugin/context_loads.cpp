#include "context_loads.hpp"

#include <map>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "runtime_calls.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

/// Our own bookkeeping is no business of sanitizers.
Value* load(IRBuilderBase& builder, Type* type, Value* base, unsigned offset, const Twine& name) {
  LoadInst* value =
      builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), base, offset), name);
  value->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(builder.getContext(), {}));
  return value;
}

}  // namespace

Value* load_context_field(IRBuilderBase& builder, Value* context, const ContextField& field) {
  Value* base = field.in_block ? load(builder, builder.getPtrTy(), context, block_pointer_offset, "block") : context;
  Type* type = field.is_pointer ? static_cast<Type*>(builder.getPtrTy()) : builder.getInt32Ty();
  return load(builder, type, base, field.offset, StringRef(field.getter).drop_front(StringRef("__shmemu_get_").size()));
}

Value* load_running_thread(IRBuilderBase& builder) {
  Module& module = *builder.GetInsertBlock()->getModule();
  return load(builder, builder.getPtrTy(), module.getOrInsertGlobal("__shmemu_thread", builder.getPtrTy()), 0,
              "thread");
}

void lower_context_getters(Function& function, const StringMap<Value*>& known) {
  std::map<const ContextField*, SmallVector<CallInst*, 4>> calls;
  for (Instruction& i : instructions(function))
    if (auto* call = dyn_cast<CallInst>(&i); call && call->getCalledFunction())
      if (const ContextField* field = find_context_field(call->getCalledFunction()->getName()))
        calls[field].push_back(call);
  BasicBlock& entry = function.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  Value* context = nullptr;
  SmallVector<std::pair<CallInst*, Value*>, 16> replacements;
  for (auto& [field, users] : calls) {
    Value* value = known.lookup(field->getter);
    if (!value) {
      if (!context) context = load_running_thread(builder);
      value = load_context_field(builder, context, *field);
    }
    for (CallInst* call : users) replacements.push_back({call, value});
  }
  for (auto [call, value] : replacements) {
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}

}  // namespace shmemu::plugin
