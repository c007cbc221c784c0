// __shared__ variables.
//
// Each becomes an ordinary global in section "shmemu_shared", which no code touches: the section only lets the linker
// lay out the shared memory of all translation units (COMDAT included). Its address in code is
//     base of the running block's shared memory + (&variable - start of the section).
// The base is a context getter, so LLVM sees a plain pointer. `extern __shared__` is the block's dynamic part.
// A 32-bit shared address, as PTX uses it, is the distance from that base.
#include "shared_memory.hpp"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "passes.hpp"
#include "runtime_calls.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

constexpr unsigned shared_space = 3;

/// Replaces each use of `variable` inside functions by what `make` builds just before it.
template <class Make>
void replace_uses_in_functions(GlobalVariable& variable, Make make) {
  convertUsersOfConstantsToInstructions({&variable});
  SmallVector<Use*, 16> uses;
  for (Use& use : variable.uses())
    if (isa<Instruction>(use.getUser())) uses.push_back(&use);
  for (Use* use : uses) {
    auto* user = cast<Instruction>(use->getUser());
    if (auto* phi = dyn_cast<PHINode>(user)) user = phi->getIncomingBlock(*use)->getTerminator();
    IRBuilder<> builder(user);
    use->set(builder.CreateAddrSpaceCast(make(builder), variable.getType()));
  }
}

GlobalVariable* move_to_section(Module& module, GlobalVariable& old) {
  auto* moved = new GlobalVariable(module, old.getValueType(), /*isConstant=*/false, old.getLinkage(),
                                   Constant::getNullValue(old.getValueType()), "", &old);
  moved->takeName(&old);
  moved->addAttribute("bss-section", shared_section);  // an explicit section would take space in the file
  moved->setAlignment(old.getAlign());
  moved->setComdat(old.getComdat());
  if (!moved->hasLocalLinkage()) moved->setVisibility(GlobalValue::HiddenVisibility);
  return moved;
}

void lower_definition(Module& module, GlobalVariable& old) {
  GlobalVariable* moved = move_to_section(module, old);
  Constant* start = shared_section_bound(module, /*end=*/false);
  Type* word = Type::getInt64Ty(module.getContext());
  Constant* offset =
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(moved, word), ConstantExpr::getPtrToInt(start, word));
  replace_uses_in_functions(old, [&](IRBuilder<>& builder) {
    return builder.CreateInBoundsPtrAdd(call_runtime(builder, "__shmemu_get_shared"), offset, moved->getName());
  });
}

/// (int)(shared pointer) and back: the integer is a distance from the block's base, not a host address.
void lower_address_conversions(Module& module) {
  SmallVector<Instruction*, 16> casts;
  for (Function& function : module)
    for (Instruction& i : instructions(function))
      if ((isa<PtrToIntInst>(i) && cast<PtrToIntInst>(i).getPointerAddressSpace() == shared_space) ||
          (isa<IntToPtrInst>(i) && i.getType()->getPointerAddressSpace() == shared_space))
        casts.push_back(&i);
  for (Instruction* old : casts) {
    IRBuilder<> builder(old);
    Value* operand = old->getOperand(0);
    Value* result = isa<PtrToIntInst>(old)
                        ? builder.CreateZExtOrTrunc(shared_address_to_offset(builder, operand), old->getType())
                        : builder.CreateAddrSpaceCast(shared_offset_to_address(builder, operand), old->getType());
    old->replaceAllUsesWith(result);
    old->eraseFromParent();
  }
}

}  // namespace

bool is_in_shared_section(const GlobalVariable& variable) {
  return variable.hasAttributes() &&
         variable.getAttributes().getAttribute("bss-section").getValueAsString() == shared_section;
}

Constant* shared_section_bound(Module& module, bool end) {
  const std::string name = std::string(end ? "__stop_" : "__start_") + shared_section;
  if (GlobalVariable* known = module.getNamedGlobal(name)) return known;
  auto* bound = new GlobalVariable(module, Type::getInt8Ty(module.getContext()), false,
                                   GlobalValue::ExternalWeakLinkage, nullptr, name);
  bound->setVisibility(GlobalValue::HiddenVisibility);
  bound->setDSOLocal(true);
  return bound;
}

Value* shared_address_to_offset(IRBuilderBase& builder, Value* pointer) {
  Value* generic = builder.CreateAddrSpaceCast(pointer, builder.getPtrTy());
  Value* base = call_runtime(builder, "__shmemu_get_shared");
  return builder.CreateSub(builder.CreatePtrToInt(generic, builder.getInt64Ty()),
                           builder.CreatePtrToInt(base, builder.getInt64Ty()), "shared_offset");
}

Value* shared_offset_to_address(IRBuilderBase& builder, Value* offset) {
  Value* base = call_runtime(builder, "__shmemu_get_shared");
  return builder.CreatePtrAdd(base, builder.CreateSExtOrTrunc(offset, builder.getInt64Ty()), "shared_address");
}

void lower_shared_memory(Module& module) {
  lower_address_conversions(module);
  SmallVector<GlobalVariable*, 16> shared;
  for (GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == shared_space) shared.push_back(&variable);
  removeFromUsedLists(module, [&](Constant* c) { return is_contained(shared, c->stripPointerCasts()); });
  for (GlobalVariable* variable : shared) {
    if (variable->isDeclaration())
      replace_uses_in_functions(
          *variable, [&](IRBuilder<>& builder) { return call_runtime(builder, "__shmemu_get_dynamic_shared"); });
    else
      lower_definition(module, *variable);
    variable->removeDeadConstantUsers();
    if (variable->use_empty())
      variable->eraseFromParent();
    else
      report_fatal_error("shmemu: the address of __shared__ " + variable->getName() + " is used in an initialiser");
  }
}

}  // namespace shmemu::plugin
