// __device__, __constant__ and __managed__ variables.
//
// They move from NVPTX address spaces to ordinary memory and are listed, with the name under which the host registers
// them, for the table that stage "lower" writes. clang knows no __managed__ variables: our header makes them __device__
// variables in a marker section, and stage "host" turns the host's shadow of one into a reference to the device's.
// Stage "host" also lets other translation units see the shadow of a variable, as they see the variable itself.
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "passes.hpp"
#include "symbol_names.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

constexpr const char* managed_section = "shmemu_managed";

/// clang's threadIdx & co. are empty objects that only serve as `this`.
bool is_builtin_object(const GlobalVariable& variable) {
  if (!variable.hasExternalWeakLinkage()) return false;
  const StringRef name = variable.getName();
  return name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim";
}

/// The debugger must not look for a GPU address class.
void copy_debug_info(const GlobalVariable& from, GlobalVariable& to) {
  SmallVector<DIGlobalVariableExpression*, 1> infos;
  from.getDebugInfo(infos);
  for (DIGlobalVariableExpression* info : infos) {
    LLVMContext& context = to.getContext();
    to.addDebugInfo(DIGlobalVariableExpression::get(context, info->getVariable(), DIExpression::get(context, {})));
  }
}

GlobalVariable* move_to_memory(Module& module, GlobalVariable& old) {
  const bool builtin = is_builtin_object(old);
  Constant* initial = old.isDeclaration() ? nullptr : old.getInitializer();
  auto linkage = old.getLinkage();
  if (builtin) {
    initial = Constant::getNullValue(old.getValueType());
    linkage = GlobalValue::PrivateLinkage;
  }
  auto* moved = new GlobalVariable(module, old.getValueType(), /*isConstant=*/false, linkage, initial, "", &old);
  moved->takeName(&old);
  moved->setAlignment(old.getAlign());
  moved->setVisibility(old.getVisibility());
  moved->setExternallyInitialized(old.isExternallyInitialized());
  moved->setUnnamedAddr(old.getUnnamedAddr());
  if (initial && !builtin) {
    moved->setComdat(old.getComdat());
    if (old.getSection() != managed_section) moved->setSection(old.getSection());
  }
  copy_debug_info(old, *moved);
  return moved;
}

void list_for_host(Module& module, GlobalVariable& variable) {
  LLVMContext& context = module.getContext();
  Metadata* entry[] = {ValueAsMetadata::get(&variable), MDString::get(context, variable.getName())};
  module.getOrInsertNamedMetadata(variables_metadata)->addOperand(MDNode::get(context, entry));
}

}  // namespace

void lower_device_variables(Module& module) {
  SmallVector<GlobalVariable*, 16> variables;
  for (GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == 1 || variable.getAddressSpace() == 4) variables.push_back(&variable);
  removeFromUsedLists(module, [&](Constant* c) { return is_contained(variables, c->stripPointerCasts()); });
  for (GlobalVariable* old : variables) {
    GlobalVariable* moved = move_to_memory(module, *old);
    old->replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(moved, old->getType()));
    old->eraseFromParent();
    if (!moved->isDeclaration() && !moved->hasLocalLinkage()) list_for_host(module, *moved);
  }
}

/// clang keeps the host's shadows of device variables to their file; `extern __device__` needs them elsewhere.
void export_shadows(Module& module) {
  Function* registration = module.getFunction("__cudaRegisterVar");
  if (!registration) return;
  for (User* user : registration->users()) {
    auto* call = dyn_cast<CallInst>(user);
    auto* shadow = call ? dyn_cast<GlobalVariable>(call->getArgOperand(1)->stripPointerCasts()) : nullptr;
    if (shadow && shadow->hasLocalLinkage() && !is_local_in_cxx(shadow->getName()))
      shadow->setLinkage(GlobalValue::WeakAnyLinkage);
  }
}

void share_managed_variables(Module& module) {
  SmallVector<GlobalVariable*, 4> shadows;
  for (GlobalVariable& variable : module.globals())
    if (variable.getSection() == managed_section) shadows.push_back(&variable);
  removeFromUsedLists(module, [&](Constant* c) { return is_contained(shadows, c->stripPointerCasts()); });
  for (GlobalVariable* shadow : shadows) {
    shadow->setInitializer(nullptr);
    shadow->setExternallyInitialized(false);
    shadow->setComdat(nullptr);
    shadow->setSection("");
    shadow->setLinkage(GlobalValue::ExternalLinkage);
    shadow->setDSOLocal(false);
    shadow->setName(device_symbol(shadow->getName()));
  }
}

PreservedAnalyses HostVariablesPass::run(Module& module, ModuleAnalysisManager&) {
  share_managed_variables(module);
  export_shadows(module);
  return PreservedAnalyses::none();
}

}  // namespace shmemu::plugin
