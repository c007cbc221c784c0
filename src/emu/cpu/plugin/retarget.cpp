// Stage "retarget": device IR of clang's CUDA front end -> ordinary x86-64 IR, before anything is optimised.
//
// clang has already set triple and data layout of the host when the plugin runs (the module is compiled with
// --target=x86_64-linux-gnu); what is left is everything NVPTX in the module's body, step by step below.
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm_compat.hpp"
#include "passes.hpp"
#include "symbol_names.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

void drop_nvptx_flags(Module& module) {
  NamedMDNode* flags = module.getModuleFlagsMetadata();
  if (!flags) return;
  SmallVector<MDNode*, 8> kept;
  for (MDNode* flag : flags->operands())
    if (!cast<MDString>(flag->getOperand(1))->getString().starts_with("nvvm-reflect")) kept.push_back(flag);
  flags->clearOperands();
  for (MDNode* flag : kept) flags->addOperand(flag);
}

void retarget_functions(Module& module) {
  const char* march = std::getenv("SHMEMU_MARCH");
  for (Function& function : module) {
    function.removeFnAttr("target-features");
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("tune-cpu");
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", march ? march : "x86-64-v3");
    function.addFnAttr("frame-pointer", "all");  // debuggers and the watchdog walk fibre stacks
    function.setUWTableKind(UWTableKind::Default);
  }
}

}  // namespace

void mark_kernels(Module& module) {
  for (Function& function : module) {
    if (function.isDeclaration() || !is_kernel(function)) continue;
    function.addFnAttr(kernel_attribute, function.getName());
    if (unsigned bound = launch_bound(function)) function.addFnAttr(bound_attribute, std::to_string(bound));
    function.setCallingConv(CallingConv::C);
  }
  if (NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations")) module.eraseNamedMetadata(annotations);
}

PreservedAnalyses RetargetPass::run(Module& module, ModuleAnalysisManager& analyses) {
  drop_nvptx_flags(module);
  module.setPICLevel(PICLevel::BigPIC);
  mark_kernels(module);
  lower_inline_ptx(module);
  lower_nvvm_intrinsics(module);
  clamp_shifts(module);
  lower_shared_memory(module);
  lower_device_variables(module);
  map_math_names(module);
  rename_symbols(module);
  retarget_functions(module);
  count_work(module, analyses);
  return PreservedAnalyses::none();
}

}  // namespace shmemu::plugin
