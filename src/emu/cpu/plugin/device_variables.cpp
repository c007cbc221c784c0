// __device__, __constant__ and __managed__ variables.
//
// They move from NVPTX address spaces to ordinary memory and are listed, with the name under which the host registers
// them, for the table that stage "lower" writes. A __managed__ variable lives in the host object (clang has no such
// thing; our header puts it into a marker section), so its device definition becomes a reference.
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "passes.hpp"
#include "symbol_names.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

constexpr const char* managed_section = "shmemu_managed";

bool is_managed(const GlobalVariable& variable) { return variable.getSection() == managed_section; }

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
    to.addDebugInfo(
        DIGlobalVariableExpression::get(context, info->getVariable(), DIExpression::get(context, {})));
  }
}

GlobalVariable* move_to_memory(Module& module, GlobalVariable& old) {
  const bool managed = is_managed(old), builtin = is_builtin_object(old);
  Constant* initial = managed || old.isDeclaration() ? nullptr : old.getInitializer();
  auto linkage = managed ? GlobalValue::ExternalLinkage : old.getLinkage();
  if (builtin) {
    initial = Constant::getNullValue(old.getValueType());
    linkage = GlobalValue::PrivateLinkage;
  }
  auto* moved = new GlobalVariable(module, old.getValueType(), /*isConstant=*/false, linkage, initial, "", &old);
  moved->takeName(&old);
  moved->setAlignment(old.getAlign());
  moved->setVisibility(old.getVisibility());
  moved->setExternallyInitialized(!managed && old.isExternallyInitialized());
  moved->setUnnamedAddr(old.getUnnamedAddr());
  if (initial && !builtin) {
    moved->setComdat(old.getComdat());
    moved->setSection(old.getSection());
  }
  if (managed) moved->setSection(managed_section);  // keeps its name in rename_symbols, which is the host's
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

}  // namespace shmemu::plugin
